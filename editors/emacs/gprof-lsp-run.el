;;; gprof-lsp-run.el --- Runs a program under the collector  -*- lexical-binding: t -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Runs `gprof-lsp record' as a compilation: its output is in a buffer, and the server loads the new
;; profile by itself.

;;; Code:

(require 'cl-lib)
(require 'compile)
(require 'gprof-lsp-connection)

(defcustom gprof-lsp-record-options nil
  "Options of `gprof-lsp record' for `gprof-run', such as (\"--wait\" \"--rate=1000\")."
  :type '(repeat string)
  :group 'gprof-lsp)

(defvar gprof-lsp--run-history nil "Command lines of programs that `gprof-run' has run.")

(defun gprof-lsp--shown-program ()
  "Return the path of the program whose profile is shown, nil if there is none."
  (let* ((connection (gprof-lsp-current-connection))
         (program (and connection (plist-get (gprof-lsp-status connection) :program))))
    (unless (member program '(nil "")) program)))

(defun gprof-lsp--run-folder ()
  "Return the folder in which programs of the current buffer run."
  (let ((connection (gprof-lsp-current-connection)))
    (cond ((cl-typep connection 'gprof-lsp-connection) (gprof-lsp-root connection))
          ((project-current) (gprof-lsp--root-of-buffer))
          (t default-directory))))

(defun gprof-lsp--read-command-line ()
  "Ask for the program and its arguments; the shown program is the default."
  (let* ((shown (gprof-lsp--shown-program))
         (proposed (shell-quote-argument
                    (or shown (expand-file-name (read-file-name "Program: " (gprof-lsp--run-folder)
                                                                nil t nil #'file-executable-p))))))
    (read-shell-command "Record: " (concat proposed " ") 'gprof-lsp--run-history)))

(defun gprof-lsp-record-command (command-line)
  "Return the command that records COMMAND-LINE, a program with arguments."
  (mapconcat #'identity
             (append (mapcar #'shell-quote-argument
                             (cons (car gprof-lsp-server-program)
                                   (cons "record" gprof-lsp-record-options)))
                     (list "--" (string-trim command-line)))
             " "))

;;;###autoload
(defun gprof-run (command-line &optional interactive)
  "Run COMMAND-LINE, a program with its arguments, and record a profile of it.
It runs in the project's folder, where the profile is written and found.  With
INTERACTIVE, a prefix argument, the program can be given input in the buffer of
its output."
  (interactive (list (gprof-lsp--read-command-line) current-prefix-arg))
  (let ((default-directory (gprof-lsp--run-folder)))
    (compilation-start (gprof-lsp-record-command command-line)
                       (and interactive t)
                       (lambda (_mode) "*gprof run*"))))

(provide 'gprof-lsp-run)
;;; gprof-lsp-run.el ends here
