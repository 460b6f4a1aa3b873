;;; show-eglot.el --- What eglot shows of a profile  -*- lexical-binding: t -*-

;; Eglot is configured as docs/editors.md says and no more; whatever Emacs it came with.

(load (expand-file-name "observe" (file-name-directory load-file-name)) nil t)
(require 'eglot)
(require 'eldoc)
(require 'xref)

(load (plist-get observe-plan :configuration) nil t)

(defun look-hover (place)
  "The documentation that Emacs shows for PLACE when it is asked to."
  (dolist (buffer (look-doc-buffers)) (kill-buffer buffer))
  (observe-go-to place)
  (eldoc-print-current-symbol-info t)
  (observe-until
   (format "documentation of %s" (plist-get place :word))
   (lambda ()
     (let ((text (mapconcat (lambda (buffer)
                              (with-current-buffer buffer
                                (buffer-substring-no-properties (point-min) (point-max))))
                            (look-doc-buffers) "")))
       (unless (string-empty-p (string-trim text)) text)))))

(defun look-doc-buffers ()
  (seq-filter (lambda (buffer) (string-match-p "\\*eldoc" (buffer-name buffer))) (buffer-list)))

(defun look-hints ()
  "Hints by line; nil where this eglot knows none."
  (when (fboundp 'eglot-inlay-hints-mode)
    (observe-until "hints" (lambda () (observe-after-strings 'eglot--inlay-hint)))))

(defun look-xrefs (items)
  "What `xref' would list of ITEMS."
  (vconcat (mapcar (lambda (item)
                     (let ((location (xref-item-location item)))
                       `((file . ,(file-name-nondirectory (xref-location-group location)))
                         (line . ,(xref-location-line location))
                         (summary . ,(substring-no-properties (xref-item-summary item))))))
                   items)))

(defun look-request (method parameters)
  "Ask over eglot's own connection: what eglot has no command for."
  (jsonrpc-request (eglot-current-server) (intern (concat ":" method)) parameters))

(defun look-references (place)
  "Where the function at PLACE is used; nil where the server has no such method."
  (observe-go-to place)
  (when (look-offers :referencesProvider)
    (look-xrefs (xref-backend-references
                 'eglot (xref-backend-identifier-at-point 'eglot)))))

(defun look-offers (capability)
  (not (memq (plist-get (slot-value (eglot-current-server) 'capabilities) capability)
             '(nil :json-false))))

(defun look ()
  (call-interactively #'eglot)
  (observe-until "a server that manages the buffer"
                 (lambda () (and (eglot-current-server) (eglot-managed-p))))
  (let ((hints (look-hints))
        (called (plist-get observe-plan :called)))
    `((package . ,(if (fboundp 'eglot-inlay-hints-mode) "eglot with hints" "eglot without hints"))
      (hints . ,(vconcat hints))
      (hovers . ,(vconcat (mapcar #'look-hover (plist-get observe-plan :hovers))))
      (symbols . ,(look-xrefs (xref-backend-apropos 'eglot (plist-get called :word))))
      (references . ,(look-references called))
      (hierarchy . ,(observe-hierarchy #'look-request
                                       #'eglot--TextDocumentPositionParams)))))

(add-hook 'emacs-startup-hook (lambda () (observe-run #'look)))
;;; show-eglot.el ends here
