;;; gprof-lsp-report.el --- Reports of gprof, with links to the code  -*- lexical-binding: t -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; The text is the server's, byte for byte what `gprof-lsp report' prints; names in it are buttons.

;;; Code:

(require 'gprof-lsp-connection)
(require 'gprof-lsp-draw)
(require 'gprof-lsp-lists)

(defconst gprof-lsp-report-kinds
  '("flat-profile" "call-graph" "annotated-source" "execution-counts" "function-ordering"
    "index" "all")
  "Kinds of reports, as the server names them.")

(defvar-local gprof-lsp--report nil "The connection of this report, and the report's kind.")

(define-derived-mode gprof-lsp-report-mode special-mode "Gprof report"
  "A report of gprof.  \\<gprof-lsp-report-mode-map>\\[revert-buffer] makes it again."
  (setq truncate-lines t)
  (setq-local revert-buffer-function #'gprof-lsp--revert-report))

(defun gprof-lsp--report-point (position encoding)
  "Return where POSITION is, on the line that point is at the beginning of.
ENCODING says how it counts."
  (+ (point) (gprof-lsp-column (buffer-substring-no-properties (point) (line-end-position))
                               (plist-get position :character) encoding)))

(defun gprof-lsp--follow-report-link (button)
  "Show the place that BUTTON of a report names, in code or in the report."
  (let* ((target (button-get button 'gprof-lsp-target))
         (parts (split-string target "#L"))
         (line (if (cadr parts) (1- (string-to-number (cadr parts))) 0)))
    (if (string-prefix-p "gprof-report:" target)
        (progn (goto-char (point-min))
               (forward-line line))
      (gprof-lsp-visit (car gprof-lsp--report)
                       (list :uri (car parts)
                             :range (list :start (list :line line :character 0)))))))

(defun gprof-lsp--fill-report ()
  "Fill the current buffer with its report."
  (pcase-let* ((`(,connection ,kind) gprof-lsp--report)
               (answer (gprof-lsp-ask connection :gprof/report (list :kind kind)))
               (inhibit-read-only t)
               (encoding (gprof-lsp-encoding connection)))
    (erase-buffer)
    (insert (plist-get answer :text))
    ;; Links are in the order of the text, and each is within a line.
    (gprof-lsp--at-lines (link (plist-get answer :links)
                               (plist-get (plist-get (plist-get link :range) :start) :line))
      (let ((range (plist-get link :range)))
        (make-text-button
         (gprof-lsp--report-point (plist-get range :start) encoding)
         (gprof-lsp--report-point (plist-get range :end) encoding)
         'gprof-lsp-target (plist-get link :target)
         'help-echo (plist-get link :tooltip)
         'follow-link t
         'action #'gprof-lsp--follow-report-link)))
    (goto-char (point-min))))

(defun gprof-lsp--revert-report (&rest _ignored)
  "Make the current report again, and stay at its line."
  (let ((line (line-number-at-pos)))
    (gprof-lsp--fill-report)
    (forward-line (1- line))))

;;;###autoload
(defun gprof-report (kind)
  "Show the report KIND of gprof: a text whose names lead to the code."
  (interactive (list (completing-read "Report: " gprof-lsp-report-kinds nil t nil nil
                                      (car gprof-lsp-report-kinds))))
  (let ((connection (gprof-lsp-any-connection))
        (buffer (get-buffer-create (format "*gprof %s*" kind))))
    (with-current-buffer buffer
      (gprof-lsp-report-mode)
      (setq gprof-lsp--report (list connection kind))
      (gprof-lsp--fill-report))
    (pop-to-buffer buffer)))

(provide 'gprof-lsp-report)
;;; gprof-lsp-report.el ends here
