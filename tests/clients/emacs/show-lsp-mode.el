;;; show-lsp-mode.el --- What lsp-mode shows of a profile  -*- lexical-binding: t -*-

;; lsp-mode is told which server there is, not to ask what the folder of the project is, and to show
;; lenses, which it does not by itself.

(load (expand-file-name "observe" (file-name-directory load-file-name)) nil t)
(require 'lsp-mode)
(require 'lsp-lens)

(setq lsp-auto-guess-root t
      lsp-lens-enable t
      lsp-enable-suggest-server-download nil)
(lsp-register-client
 (make-lsp-client :new-connection (lsp-stdio-connection
                                   (list (plist-get observe-plan :server) "--stdio"))
                  :major-modes '(c-mode)
                  :priority 1
                  :server-id 'gprof-lsp))

(defun look-hover (place)
  "What lsp-mode describes at PLACE."
  (observe-go-to place)
  (save-window-excursion
    (lsp-describe-thing-at-point)
    (with-current-buffer "*lsp-help*"
      (buffer-substring-no-properties (point-min) (point-max)))))

(defun look-titles ()
  "Lenses by line, once they are shown."
  (observe-until "lenses" (lambda () (observe-after-strings 'lsp-lens))))

(defun look ()
  (lsp-workspace-folders-add (plist-get observe-plan :folder))
  (lsp)
  (observe-until "a server that is ready"
                 (lambda () (seq-some (lambda (workspace)
                                        (eq (lsp--workspace-status workspace) 'initialized))
                                      (lsp-workspaces))))
  (let ((lenses (look-titles)))
    `((package . "lsp-mode")
      (lenses . ,(vconcat lenses))
      (hovers . ,(vconcat (mapcar #'look-hover (plist-get observe-plan :hovers))))
      (hierarchy . ,(observe-hierarchy #'lsp-request
                                       #'lsp--text-document-position-params)))))

(add-hook 'emacs-startup-hook (lambda () (observe-run #'look)))
;;; show-lsp-mode.el ends here
