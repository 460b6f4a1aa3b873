;;; show-package.el --- What the package of editors/emacs shows  -*- lexical-binding: t -*-

;; The package is configured as docs/editors.md says.  Nothing of it is called from here: its mode is
;; turned on by a hook, edits are seen by its timer, and widths by those of windows.

(load (expand-file-name "observe" (file-name-directory load-file-name)) nil t)
(load (plist-get observe-plan :configuration) nil t)

(defvar look-drawn nil "What the package has drawn since this was reset.")
(add-hook 'gprof-lsp-drawn-functions (lambda (what) (push what look-drawn)))

(defun look-wait (what)
  "Wait until WHAT made the package draw."
  (observe-until what (lambda () (and (memq 'lens look-drawn) (memq 'figures look-drawn)))
                 (* 2 gprof-lsp-idle-delay))
  (setq look-drawn nil)
  (redisplay t))

(defun look-lenses ()
  "Lenses by line."
  (vconcat
   (mapcar (lambda (overlay)
             `((line . ,(line-number-at-pos (overlay-start overlay)))
               (text . ,(substring-no-properties (overlay-get overlay 'before-string)))))
           (seq-filter (lambda (overlay) (eq (overlay-get overlay 'gprof-lsp) 'lens))
                       (overlays-in (point-min) (point-max))))))

(defun look-marks ()
  `((lenses . ,(look-lenses))
    (figures . ,(vconcat (observe-after-strings 'gprof-lsp)))))

(defun look-window ()
  "The columns in which lines end with their figures, and the window's width."
  `((width . ,(window-max-chars-per-line))
    (ends . ,(vconcat
              (mapcar (lambda (figures)
                        (goto-char (point-min))
                        (forward-line (1- (alist-get 'line figures)))
                        (end-of-line)
                        (+ (current-column) (string-width (alist-get 'text figures))))
                      (observe-after-strings 'gprof-lsp))))))

(defun look-documentation (place)
  (observe-go-to place)
  (eldoc-print-current-symbol-info t)
  (observe-until "documentation"
                 (lambda ()
                   (let ((buffer (seq-find (lambda (each)
                                             (string-match-p "\\*eldoc" (buffer-name each)))
                                           (buffer-list))))
                     (when buffer
                       (with-current-buffer buffer
                         (unless (string-blank-p (buffer-string))
                           (buffer-substring-no-properties (point-min) (point-max)))))))))

(defun look-far-away ()
  "What is drawn after many lines were inserted above all, which is what the window shows."
  (goto-char (point-min))
  (insert (make-string 500 ?\n))
  (goto-char (point-min))
  (look-wait "an edit of many lines")
  ;; That may have been a drawing for the window's width, which was under way.
  (observe-until "no figures far from what the window shows"
                 (lambda () (null (observe-after-strings 'gprof-lsp)))
                 0.5)
  (look-marks))

(defun look-nearby ()
  "What is drawn once the window shows the code again."
  (goto-char (point-max))
  (observe-until "figures where the window was scrolled to"
                 (lambda () (observe-after-strings 'gprof-lsp))
                 0.5)
  (look-marks))

(defun look ()
  (observe-until "a profile" (lambda () (> (length (look-lenses)) 0)))
  (look-wait "the profile")
  (let ((marks (look-marks))
        (wide (look-window))
        (documentation (look-documentation (plist-get observe-plan :called))))
    (goto-char (point-min))
    (insert "\n\n")
    (look-wait "an edit")
    (let ((moved (look-marks)) narrow)
      (split-window-horizontally 64)
      (redisplay t)
      (setq narrow (observe-until "figures in a narrower window"
                                  (lambda ()
                                    (let* ((seen (look-window))
                                           (ends (append (alist-get 'ends seen) nil)))
                                      (and ends
                                           (<= (seq-max ends) (alist-get 'width seen))
                                           seen)))
                                  0.5))
      (delete-other-windows)
      `(,@marks (moved . ,moved) (wide . ,wide) (narrow . ,narrow)
        (far . ,(look-far-away)) (near . ,(look-nearby))
        (documentation . ,documentation)))))

;; Emacs counts as idle only once it reads commands.
(add-hook 'emacs-startup-hook
          (lambda () (run-with-idle-timer 0.05 nil (lambda () (observe-run #'look)))))
;;; show-package.el ends here
