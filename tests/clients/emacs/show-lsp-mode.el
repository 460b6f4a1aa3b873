;;; show-lsp-mode.el --- What lsp-mode shows of a profile  -*- lexical-binding: t -*-

;; lsp-mode is configured as docs/editors.md says, is not to ask what the folder of the project is,
;; and looks at no other server that a machine may have.

(load (expand-file-name "observe" (file-name-directory load-file-name)) nil t)
(require 'lsp-mode)
(require 'lsp-lens)

(load (plist-get observe-plan :configuration) nil t)
(setq lsp-auto-guess-root t
      lsp-enable-suggest-server-download nil
      lsp-disabled-clients '(clangd ccls))

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

;; Debian 12's lsp-treemacs reads this of a treemacs newer than Debian 12's.
(defvar treemacs-text-scale nil)

(defun look-tree (place)
  "What lsp-treemacs shows of the callers of the function at PLACE; nil where it is not there."
  (when (require 'lsp-treemacs nil t)
    (observe-go-to place)
    (save-window-excursion
      (lsp-treemacs-call-hierarchy nil)
      (goto-char (point-min))
      (re-search-forward (plist-get place :word))
      (let ((collapsed (buffer-string)))
        (call-interactively #'treemacs-TAB-action)
        ;; The children come with the server's answer.
        (observe-until "callers in the tree"
                       (lambda () (not (or (equal (buffer-string) collapsed)
                                           (string-match-p "Loading" (buffer-string)))))))
      (buffer-substring-no-properties (point-min) (point-max)))))

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
      (tree . ,(look-tree (plist-get observe-plan :called)))
      (hierarchy . ,(observe-hierarchy #'lsp-request
                                       #'lsp--text-document-position-params)))))

(add-hook 'emacs-startup-hook (lambda () (observe-run #'look)))
;;; show-lsp-mode.el ends here
