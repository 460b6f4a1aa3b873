;;; style.el --- What the byte compiler and checkdoc say  -*- lexical-binding: t -*-

;; Arguments: a folder for the compiled files, then the files.  Exit status 1 if there is anything
;; to say.

(require 'bytecomp)
(require 'checkdoc)

(defvar style-complaints 0 "How many files the byte compiler or checkdoc complains about.")

(let* ((folder (pop command-line-args-left))
       (byte-compile-error-on-warn t)
       (byte-compile-dest-file-function
        (lambda (file) (expand-file-name (concat (file-name-base file) ".elc") folder)))
       ;; Takes nouns such as "calls" for verbs.
       (checkdoc-verb-check-experimental-flag nil)
       (checkdoc-diagnostic-buffer "*style*"))
  (dolist (file command-line-args-left)
    (with-current-buffer (find-file-noselect file)
      (let ((checkdoc-autofix-flag 'never)
            (compiled (byte-compile-file file))
            found)
        (setq-local checkdoc-create-error-function
                    (lambda (text start _end &optional _unfixable)
                      (push (format "%s:%d: %s" (file-name-nondirectory file)
                                    (count-lines (point-min) (or start (point-min))) text)
                            found)
                      nil))
        (checkdoc-current-buffer t)
        (when (or found (not compiled)) (setq style-complaints (1+ style-complaints)))
        (dolist (line (nreverse found)) (message "%s" line)))))
  (message "%d files, %d with complaints" (length command-line-args-left) style-complaints))

(kill-emacs (if (zerop style-complaints) 0 1))
;;; style.el ends here
