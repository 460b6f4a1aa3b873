;;; gprof-lsp-eglot.el --- gprof-lsp as the server of eglot  -*- lexical-binding: t -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; For buffers that eglot manages with gprof-lsp: (gprof-lsp-eglot-register) makes it a choice of
;; `eglot', and `gprof-lsp-mode' draws over eglot's connection.  Eglot has one server per buffer, so
;; this replaces clangd there.  Without it, `gprof-lsp-mode' has a connection of its own, beside
;; whatever eglot runs.

;;; Code:

(require 'eglot)
(require 'gprof-lsp-connection)

(declare-function gprof-lsp-mode "gprof-lsp")

(defclass gprof-lsp-eglot-server (eglot-lsp-server gprof-lsp-peer) ()
  :documentation "A gprof-lsp that eglot has started.")

(cl-defmethod eglot-client-capabilities ((_server gprof-lsp-eglot-server))
  "Say that drawings of our own replace hints."
  (plist-put (copy-sequence (cl-call-next-method)) :experimental (gprof-lsp-client-extensions)))

(cl-defmethod eglot-initialization-options ((_server gprof-lsp-eglot-server))
  "Pass `gprof-lsp-settings' on, unless the user's contact of eglot has options."
  (let ((options (cl-call-next-method)))
    (if (or (null gprof-lsp-settings)
            (and options (not (and (hash-table-p options) (hash-table-empty-p options)))))
        options
      gprof-lsp-settings)))

(cl-defmethod eglot-handle-notification
  ((server gprof-lsp-eglot-server) (_method (eql 'gprof/status)) &rest status)
  "Keep STATUS of SERVER."
  (gprof-lsp-note-status server status))

(cl-defmethod gprof-lsp-encoding ((server gprof-lsp-eglot-server))
  "Return what eglot and SERVER have agreed upon."
  (or (plist-get (slot-value server 'capabilities) :positionEncoding) "utf-16"))

(cl-defmethod gprof-lsp-sync ((_server gprof-lsp-eglot-server))
  "Eglot sends changes; requests to it are deferred until then."
  nil)

(cl-defmethod gprof-lsp-manages-text-p ((_server gprof-lsp-eglot-server))
  "Eglot opens and closes documents."
  nil)

(defun gprof-lsp-eglot-connection ()
  "Return eglot's server of the current buffer if that is gprof-lsp."
  (let ((server (and (bound-and-true-p eglot--managed-mode) (eglot-current-server))))
    (and server (object-of-class-p server 'gprof-lsp-eglot-server) server)))

(defun gprof-lsp-eglot-managed ()
  "Draw in the current buffer while eglot manages it with gprof-lsp.
Eglot calls this when it begins and when it ends."
  (cond ((gprof-lsp-eglot-connection) (gprof-lsp-mode 1))
        ((and (bound-and-true-p gprof-lsp-mode) (not (gprof-lsp-current-connection)))
         (gprof-lsp-mode -1))))

;;;###autoload
(defun gprof-lsp-eglot-register (&rest modes)
  "Make gprof-lsp the server that eglot starts in MODES.
Eglot has one server per buffer: in these modes it replaces the language's own."
  (add-to-list 'eglot-server-programs
               (cons modes (cons 'gprof-lsp-eglot-server gprof-lsp-server-program))))

(add-hook 'gprof-lsp-shared-connection-functions #'gprof-lsp-eglot-connection)
(add-hook 'eglot-managed-mode-hook #'gprof-lsp-eglot-managed)

(provide 'gprof-lsp-eglot)
;;; gprof-lsp-eglot.el ends here
