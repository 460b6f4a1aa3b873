;;; gprof-lsp.el --- Shows profiles of gprof in the source  -*- lexical-binding: t -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "28.1"))
;; Keywords: tools, c, processes
;; URL: https://github.com/gprof-lsp/gprof-lsp
;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; `gprof-lsp-mode' shows what the language server gprof-lsp knows of the functions and lines of a
;; buffer: lenses above functions, figures behind lines, heat in the fringe, and documentation by
;; eldoc.  It works beside eglot, lsp-mode or neither, as it has a connection of its own.
;;
;;   (add-to-list 'load-path "/path/to/gprof-lsp/editors/emacs")
;;   (require 'gprof-lsp)
;;   (add-hook 'c-mode-hook #'gprof-lsp-mode)
;;
;; Commands: `gprof-run', `gprof-callers', `gprof-callees', `gprof-hot-spots', `gprof-report'.

;;; Code:

(require 'gprof-lsp-connection)
(require 'gprof-lsp-draw)
(require 'gprof-lsp-lists)
(require 'gprof-lsp-report)
(require 'gprof-lsp-run)

(defcustom gprof-lsp-idle-delay 0.7
  "Seconds without input after which figures follow an edit.
Nothing is sent to the server while you type."
  :type 'number
  :group 'gprof-lsp)

(defvar-local gprof-lsp--timer nil "The timer of the next refresh, nil if none is due.")
(defvar-local gprof-lsp--window-timer nil
  "The timer that draws for windows that have changed, nil if none has.")

(defvar gprof-lsp-drawn-functions nil
  "Functions called after something was drawn in the current buffer.
Each is called with what it was: `lens' or `figures'.")

;;; Refreshing

(defun gprof-lsp--when-unchanged (what draw)
  "Return a function that calls DRAW with an answer if the text is still the same.
WHAT names it for `gprof-lsp-drawn-functions'."
  (let ((tick (buffer-chars-modified-tick)))
    (lambda (answer)
      (when (and (bound-and-true-p gprof-lsp-mode) (= tick (buffer-chars-modified-tick)))
        (funcall draw answer)
        (run-hook-with-args 'gprof-lsp-drawn-functions what)))))

(defun gprof-lsp-refresh ()
  "Ask the server for what it knows of the current buffer, to draw it."
  (interactive)
  (when-let* ((connection (gprof-lsp-current-connection)))
    (gprof-lsp-sync connection)
    (let ((document (list :textDocument (gprof-lsp-document))))
      (gprof-lsp-request connection :textDocument/codeLens document
                         (gprof-lsp--when-unchanged 'lens #'gprof-lsp-draw-lenses))
      (gprof-lsp-request connection :gprof/lineData document
                         (gprof-lsp--when-unchanged 'figures #'gprof-lsp-draw-lines)))))

(defun gprof-lsp-refresh-soon ()
  "Refresh the current buffer when Emacs has been idle for `gprof-lsp-idle-delay'."
  (when gprof-lsp--timer (cancel-timer gprof-lsp--timer))
  (let ((buffer (current-buffer)))
    (setq gprof-lsp--timer
          (run-with-idle-timer
           ;; Eglot sends changes with a delay of its own, which is to be over.
           (max gprof-lsp-idle-delay
                (if (boundp 'eglot-send-changes-idle-time)
                    (+ (symbol-value 'eglot-send-changes-idle-time) 0.2)
                  0))
           nil
           (lambda ()
             (when (buffer-live-p buffer)
               (with-current-buffer buffer
                 (setq gprof-lsp--timer nil)
                 (gprof-lsp-refresh))))))))

(defun gprof-lsp--after-change (begin end _length)
  "Note an edit that has left the text from BEGIN to END."
  (gprof-lsp-clean begin end)
  (gprof-lsp-refresh-soon))

(defun gprof-lsp--after-save ()
  "Tell the server that the file was saved, and refresh."
  (gprof-lsp-saved)
  (gprof-lsp-refresh))

(defun gprof-lsp--new-status (connection)
  "Show another status of CONNECTION, and refresh its buffers."
  (let* ((status (gprof-lsp-status connection))
         (state (plist-get status :state)))
    (when (and (equal state "error") (plist-get status :message))
      (message "gprof-lsp: %s" (plist-get status :message)))
    (dolist (buffer (buffer-list))
      (with-current-buffer buffer
        (when (bound-and-true-p gprof-lsp-mode)
          (cond ((equal state "ended")
                 (unless (gprof-lsp-current-connection) (gprof-lsp-remove)))
                ((and (eq connection (gprof-lsp-current-connection))
                      (not (equal state "loading")))
                 (gprof-lsp-refresh)))
          (force-mode-line-update))))))

(defun gprof-lsp--draw-soon ()
  "Draw for the windows of the current buffer after a moment without input."
  (unless gprof-lsp--window-timer
    (let ((buffer (current-buffer)))
      (setq gprof-lsp--window-timer
            (run-with-idle-timer
             0.1 nil
             (lambda ()
               (when (buffer-live-p buffer)
                 (with-current-buffer buffer
                   (setq gprof-lsp--window-timer nil)
                   (gprof-lsp-draw-for-windows)))))))))

(defun gprof-lsp--window-changed (window &optional _start)
  "Draw for WINDOW, which was scrolled or resized, soon.
This is called while windows are redisplayed, when nothing may be drawn."
  (with-current-buffer (window-buffer window)
    (when (bound-and-true-p gprof-lsp-mode) (gprof-lsp--draw-soon))))

;;; Documentation at point

(defun gprof-lsp-eldoc (callback &rest _ignored)
  "Give CALLBACK what the profile says at point.
This is a member of `eldoc-documentation-functions'."
  (let ((connection (gprof-lsp-current-connection)))
    (when (and connection (gprof-lsp-manages-text-p connection))
      (gprof-lsp-sync connection)
      (gprof-lsp-request connection :textDocument/hover (gprof-lsp-place connection)
                         (lambda (hover)
                           (funcall callback
                                    (plist-get (plist-get hover :contents) :value))))
      t)))

;;; The mode

(defun gprof-lsp-mode-line ()
  "Return what the mode line says: the state, unless all is well.
What is wrong, and what was noticed of the profile, is its help text."
  (let* ((connection (gprof-lsp-current-connection))
         (status (and connection (gprof-lsp-status connection)))
         (state (cond ((null connection) "off")
                      ((null status) "starting")
                      ((eq t (plist-get status :live)) "live")
                      (t (plist-get status :state)))))
    (propertize (concat " gprof" (unless (equal state "ready") (format "[%s]" state)))
                'help-echo (mapconcat #'identity
                                      (delq nil (cons (plist-get status :message)
                                                      (append (plist-get status :warnings) nil)))
                                      "\n"))))

(defun gprof-lsp--enable ()
  "Connect the current buffer, and draw in it from now on."
  (unless buffer-file-name (user-error "This buffer visits no file"))
  (when (file-remote-p buffer-file-name)
    (user-error "Files of other machines are not shown: the server reads them itself"))
  (unless (gprof-lsp-current-connection) (gprof-lsp-open))
  (add-hook 'after-change-functions #'gprof-lsp--after-change nil t)
  (add-hook 'after-save-hook #'gprof-lsp--after-save nil t)
  (add-hook 'kill-buffer-hook #'gprof-lsp--disable nil t)
  (add-hook 'change-major-mode-hook #'gprof-lsp--disable nil t)
  ;; Commands that set where a window starts, as `recenter' does, do not count as scrolling.
  (add-hook 'post-command-hook #'gprof-lsp--draw-soon nil t)
  (add-hook 'window-scroll-functions #'gprof-lsp--window-changed nil t)
  (add-hook 'window-size-change-functions #'gprof-lsp--window-changed nil t)
  (add-hook 'window-buffer-change-functions #'gprof-lsp--window-changed nil t)
  (add-hook 'eldoc-documentation-functions #'gprof-lsp-eldoc 90 t)
  (gprof-lsp-refresh))

(defun gprof-lsp--disable ()
  "Take back all that `gprof-lsp--enable' has done."
  (remove-hook 'after-change-functions #'gprof-lsp--after-change t)
  (remove-hook 'after-save-hook #'gprof-lsp--after-save t)
  (remove-hook 'kill-buffer-hook #'gprof-lsp--disable t)
  (remove-hook 'change-major-mode-hook #'gprof-lsp--disable t)
  (remove-hook 'post-command-hook #'gprof-lsp--draw-soon t)
  (remove-hook 'window-scroll-functions #'gprof-lsp--window-changed t)
  (remove-hook 'window-size-change-functions #'gprof-lsp--window-changed t)
  (remove-hook 'window-buffer-change-functions #'gprof-lsp--window-changed t)
  (remove-hook 'eldoc-documentation-functions #'gprof-lsp-eldoc t)
  (dolist (timer (list gprof-lsp--timer gprof-lsp--window-timer))
    (when timer (cancel-timer timer)))
  (setq gprof-lsp--timer nil
        gprof-lsp--window-timer nil)
  (gprof-lsp-remove)
  (gprof-lsp-close))

(defvar gprof-lsp-mode-map
  (let ((map (make-sparse-keymap)))
    ;; As in buffers of eglot.
    (define-key map [remap display-local-help] #'eldoc-doc-buffer)
    map)
  "Keys of `gprof-lsp-mode'.")

;;;###autoload
(define-minor-mode gprof-lsp-mode
  "Show what a profile says of the functions and lines of this buffer.
The profile is looked for in the project; a newer one is shown as soon as it is
written."
  :lighter (:eval (gprof-lsp-mode-line))
  (if (not gprof-lsp-mode)
      (gprof-lsp--disable)
    (condition-case problem
        (gprof-lsp--enable)
      ;; In hooks of modes an error would leave the buffer half set up.
      (user-error (setq gprof-lsp-mode nil)
                  (message "%s" (error-message-string problem))))))

(setq gprof-lsp-lens-function #'gprof-lsp-run-lens)
(add-hook 'gprof-lsp-status-functions #'gprof-lsp--new-status)
(with-eval-after-load 'eglot (require 'gprof-lsp-eglot))

(provide 'gprof-lsp)
;;; gprof-lsp.el ends here
