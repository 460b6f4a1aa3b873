;;; gprof-lsp-connection.el --- Connections to gprof-lsp  -*- lexical-binding: t -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; A connection belongs to the root folder of a project and serves its buffers beside whatever
;; other language servers they have: eglot, which has one server per buffer, keeps its own.
;; Where eglot itself manages a buffer with gprof-lsp (gprof-lsp-eglot.el), that connection is used
;; and eglot tells it of the text; both kinds are a `gprof-lsp-peer'.
;;
;; All requests of this file are asynchronous but `gprof-lsp-ask', which commands use.

;;; Code:

(require 'cl-lib)
(require 'eieio)
(require 'jsonrpc)
(require 'project)
(require 'subr-x)
(require 'url-util)

(defgroup gprof-lsp nil
  "Profiles of gprof, perf, callgrind and others in the source."
  :group 'tools
  :prefix "gprof-lsp-")

(defcustom gprof-lsp-server-program '("gprof-lsp" "--stdio")
  "Command that starts the server: a list of its program and arguments."
  :type '(repeat string))

(defcustom gprof-lsp-settings nil
  "Settings of the server, a property list such as (:threshold 0.01).
Members of a setting are property lists as well: (:codeLens (:threshold 0)).
Lists are vectors: (:programs [(:executable \"app\")]).  False is
:json-false.  The README of gprof-lsp lists all settings.  A change
applies to servers that are started later."
  :type 'plist)

(defvar gprof-lsp-shared-connection-functions nil
  "Functions that return the current buffer's connection of another package.
The first one that is not nil is used in place of one of our own.")

(defvar gprof-lsp-status-functions nil
  "Functions called with a connection after its status has changed.")

(defclass gprof-lsp-peer ()
  ((status :initform nil :accessor gprof-lsp-status
           :documentation "The parameters of the last gprof/status, nil before it."))
  :abstract t
  :documentation "A connection whose server is gprof-lsp.")

(cl-defgeneric gprof-lsp-encoding (connection)
  "Return the encoding in which CONNECTION counts characters, such as \"utf-16\".")

(cl-defgeneric gprof-lsp-sync (connection)
  "Tell CONNECTION what has changed in the current buffer since it was last told.")

(cl-defgeneric gprof-lsp-manages-text-p (connection)
  "Return non-nil if buffers of CONNECTION are opened and closed by this package.")

(defconst gprof-lsp-empty-object (make-hash-table)
  "What becomes {} in JSON, as nil becomes null.")

(defun gprof-lsp-client-extensions ()
  "Return the member `experimental' of the capabilities: what this package draws."
  '(:gprof (:decorations t :status t)))

(defun gprof-lsp-note-status (connection status)
  "Keep STATUS of CONNECTION and run `gprof-lsp-status-functions'."
  (setf (gprof-lsp-status connection) status)
  (run-hook-with-args 'gprof-lsp-status-functions connection))

;;; Connections of our own

(defclass gprof-lsp-connection (jsonrpc-process-connection gprof-lsp-peer)
  ((root :initarg :root :reader gprof-lsp-root
         :documentation "The folder that the server was started for.")
   (ready :initform nil :accessor gprof-lsp-ready
          :documentation "Non-nil once the server has answered `initialize'.")
   (buffers :initform nil :accessor gprof-lsp-buffers
            :documentation "The buffers whose documents are open."))
  :documentation "A connection to a server that this package has started.")

(defvar gprof-lsp--connections nil "Connections of our own that are running.")

(defvar-local gprof-lsp--connection nil
  "The current buffer's connection, of our own; nil if it is shared.")
(defvar-local gprof-lsp--version 0 "Version of the document, as the server knows it.")
(defvar-local gprof-lsp--sent-tick nil
  "`buffer-chars-modified-tick' of the text that the server knows, or nil.")
(defvar-local gprof-lsp--uri nil "The URI that the document was opened with.")

(cl-defmethod jsonrpc-connection-ready-p ((connection gprof-lsp-connection) what)
  "Return non-nil if CONNECTION may be asked for WHAT: it is initialized."
  (and (cl-call-next-method)
       (or (gprof-lsp-ready connection) (eq what 'initialize))))

(cl-defmethod gprof-lsp-encoding ((_connection gprof-lsp-connection))
  "Characters of Emacs are code points."
  "utf-32")

(cl-defmethod gprof-lsp-manages-text-p ((_connection gprof-lsp-connection))
  "Our own connections know only what this package tells them."
  t)

(defun gprof-lsp-uri (file)
  "Return the URI of FILE, an absolute name."
  (concat "file://" (url-hexify-string (file-truename file) url-path-allowed-chars)))

(defun gprof-lsp-file-of (uri)
  "Return the name of the file that URI names, or nil if it names none."
  (when (string-prefix-p "file://" uri)
    (decode-coding-string (url-unhex-string (string-remove-prefix "file://" uri)) 'utf-8)))

(defun gprof-lsp--root-of-buffer ()
  "Return the folder whose profiles the current buffer is to show."
  (let ((project (project-current)))
    (file-truename
     (cond (project (if (fboundp 'project-root) (project-root project)
                      (car (with-no-warnings (project-roots project)))))
           ((locate-dominating-file default-directory "gmon.out"))
           (t default-directory)))))

(defun gprof-lsp--capabilities ()
  "Return what this client knows of the protocol."
  (list :general '(:positionEncodings ["utf-32"])
        :textDocument (list :synchronization '(:didSave t)
                            :codeLens gprof-lsp-empty-object
                            :hover '(:contentFormat ["plaintext"]))
        :experimental (gprof-lsp-client-extensions)))

(defun gprof-lsp--initialize-params (root)
  "Return the parameters of `initialize' for the folder ROOT."
  (let ((uri (gprof-lsp-uri (directory-file-name root))))
    (list :processId (emacs-pid)
          :clientInfo (list :name "Emacs" :version emacs-version)
          :rootUri uri
          :workspaceFolders (vector (list :uri uri :name (file-name-nondirectory
                                                          (directory-file-name root))))
          :capabilities (gprof-lsp--capabilities)
          :initializationOptions (or gprof-lsp-settings gprof-lsp-empty-object))))

(defun gprof-lsp--start-process (root name)
  "Start the server in the folder ROOT and return its process, called NAME."
  (let ((default-directory root))
    (make-process :name name
                  :command gprof-lsp-server-program
                  :connection-type 'pipe
                  :coding 'utf-8-emacs-unix
                  :noquery t
                  ;; jsonrpc expects the connection's standard error in a buffer of this name.
                  :stderr (get-buffer-create (format "*%s stderr*" name)))))

(defun gprof-lsp--name (root)
  "Return the name of a new connection for ROOT, which no running process has.
An earlier server may still be shutting down, and jsonrpc would let processes
of the same name write into the same buffer."
  (let* ((base (format "gprof-lsp %s" (abbreviate-file-name (directory-file-name root))))
         (name base)
         (number 1))
    (while (get-process name)
      (setq number (1+ number)
            name (format "%s (%d)" base number)))
    name))

(defun gprof-lsp--connect (root)
  "Start a server for ROOT and return its connection, which gets ready later."
  (unless (executable-find (car gprof-lsp-server-program))
    (user-error "There is no program %s: install gprof-lsp, or set `gprof-lsp-server-program'"
                (car gprof-lsp-server-program)))
  (let* ((name (gprof-lsp--name root))
         (connection
          (apply #'make-instance 'gprof-lsp-connection
                 :name name
                 :root root
                 :process (lambda () (gprof-lsp--start-process root name))
                 :notification-dispatcher #'gprof-lsp--handle-notification
                 :request-dispatcher #'gprof-lsp--handle-request
                 :on-shutdown #'gprof-lsp--forget
                 ;; Figures of whole files would fill the log of events.
                 (if (boundp 'jsonrpc-event-hook)
                     '(:events-buffer-config (:size 0 :format full))
                   '(:events-buffer-scrollback-size 0)))))
    (push connection gprof-lsp--connections)
    (jsonrpc-async-request connection :initialize (gprof-lsp--initialize-params root)
                           :success-fn (lambda (_result) (gprof-lsp--initialized connection))
                           :error-fn (lambda (problem)
                                       (message "gprof-lsp: %s" (plist-get problem :message)))
                           :timeout 60)
    connection))

(defun gprof-lsp--initialized (connection)
  "Finish setting up CONNECTION after its server has answered `initialize'."
  (jsonrpc-notify connection :initialized gprof-lsp-empty-object)
  (setf (gprof-lsp-ready connection) t)
  (dolist (buffer (gprof-lsp-buffers connection))
    (with-current-buffer buffer (gprof-lsp--send-open connection)))
  (run-hook-with-args 'gprof-lsp-status-functions connection))

(defun gprof-lsp--handle-notification (connection method params)
  "Act on the notification METHOD with PARAMS of CONNECTION."
  (pcase method
    ('gprof/status (gprof-lsp-note-status connection params))
    ('window/showMessage (message "gprof-lsp: %s" (plist-get params :message)))))

(defun gprof-lsp--handle-request (_connection method _params)
  "Refuse the request METHOD: no capability invites one."
  (jsonrpc-error :code -32601 :message (format "%s is not supported" method)))

(defun gprof-lsp--forget (connection)
  "Remove what is known of CONNECTION, whose server has ended."
  (setq gprof-lsp--connections (delq connection gprof-lsp--connections))
  (dolist (buffer (gprof-lsp-buffers connection))
    (when (buffer-live-p buffer)
      (with-current-buffer buffer
        (setq gprof-lsp--connection nil
              gprof-lsp--sent-tick nil))))
  (gprof-lsp-note-status connection '(:state "ended"))
  (setf (gprof-lsp-buffers connection) nil))

(defun gprof-lsp--shut-down (connection)
  "End the server of CONNECTION, as the protocol wants it."
  (setq gprof-lsp--connections (delq connection gprof-lsp--connections))
  (when (jsonrpc-running-p connection)
    (jsonrpc-async-request connection :shutdown nil
                           :success-fn (lambda (_result) (jsonrpc-notify connection :exit nil))
                           :error-fn #'ignore
                           :timeout-fn (lambda ()
                                         (when (jsonrpc-running-p connection)
                                           (delete-process (jsonrpc--process connection))))
                           :timeout 5)))

;;; The text of buffers

(defun gprof-lsp-buffer-text ()
  "Return the whole text of the current buffer."
  (save-restriction (widen) (buffer-substring-no-properties (point-min) (point-max))))

(defun gprof-lsp--language ()
  "Return the identifier of the current buffer's language, as the protocol has it."
  (let ((name (replace-regexp-in-string "\\(-ts\\)?-mode\\'" "" (symbol-name major-mode))))
    (pcase name
      ("c++" "cpp")
      ("f90" "fortran")
      (_ name))))

(defun gprof-lsp--send-open (connection)
  "Tell CONNECTION that the current buffer's document is open."
  (setq gprof-lsp--version (1+ gprof-lsp--version)
        gprof-lsp--sent-tick (buffer-chars-modified-tick)
        gprof-lsp--uri (gprof-lsp-uri buffer-file-name))
  (jsonrpc-notify connection :textDocument/didOpen
                  (list :textDocument (list :uri gprof-lsp--uri
                                            :languageId (gprof-lsp--language)
                                            :version gprof-lsp--version
                                            :text (gprof-lsp-buffer-text)))))

(defun gprof-lsp-document ()
  "Return the identifier of the current buffer's document."
  (list :uri (or gprof-lsp--uri (gprof-lsp-uri buffer-file-name))))

(cl-defmethod gprof-lsp-sync ((connection gprof-lsp-connection))
  "Send the text of the current buffer to CONNECTION, if it has changed.
The server finds out by itself which lines are new."
  (let ((tick (buffer-chars-modified-tick)))
    (when (and (gprof-lsp-ready connection) gprof-lsp--sent-tick
               (/= tick gprof-lsp--sent-tick))
      (setq gprof-lsp--version (1+ gprof-lsp--version)
            gprof-lsp--sent-tick tick)
      (jsonrpc-notify connection :textDocument/didChange
                      (list :textDocument (list :uri gprof-lsp--uri :version gprof-lsp--version)
                            :contentChanges (vector (list :text (gprof-lsp-buffer-text))))))))

(defun gprof-lsp-open ()
  "Connect the current buffer, which visits a file, to a server of its project."
  (let* ((root (gprof-lsp--root-of-buffer))
         (connection (or (cl-find root gprof-lsp--connections
                                  :key #'gprof-lsp-root :test #'string=)
                         (gprof-lsp--connect root))))
    (setq gprof-lsp--connection connection)
    (cl-pushnew (current-buffer) (gprof-lsp-buffers connection))
    (when (gprof-lsp-ready connection) (gprof-lsp--send-open connection))))

(defun gprof-lsp-close ()
  "End the current buffer's part in its own connection.
The server is ended with its last buffer."
  (when-let* ((connection gprof-lsp--connection))
    (setf (gprof-lsp-buffers connection) (delq (current-buffer) (gprof-lsp-buffers connection)))
    (when (and gprof-lsp--sent-tick (jsonrpc-running-p connection))
      (jsonrpc-notify connection :textDocument/didClose
                      (list :textDocument (gprof-lsp-document))))
    (unless (gprof-lsp-buffers connection) (gprof-lsp--shut-down connection)))
  (setq gprof-lsp--connection nil
        gprof-lsp--sent-tick nil
        gprof-lsp--uri nil))

(defun gprof-lsp-saved ()
  "Tell the current buffer's own connection that the file was saved."
  (when-let* ((connection gprof-lsp--connection))
    (gprof-lsp-sync connection)
    (when gprof-lsp--sent-tick
      (jsonrpc-notify connection :textDocument/didSave
                      (list :textDocument (gprof-lsp-document))))))

;;; What everything else uses

(defun gprof-lsp-current-connection ()
  "Return the connection of the current buffer, or nil if it has none."
  (or (run-hook-with-args-until-success 'gprof-lsp-shared-connection-functions)
      gprof-lsp--connection))

(defun gprof-lsp-any-connection ()
  "Return the current buffer's connection, or the newest.
Signal an error if there is none."
  (or (gprof-lsp-current-connection)
      (car gprof-lsp--connections)
      (user-error "There is no gprof-lsp here: `M-x gprof-lsp-mode' in a source file starts it")))

(defun gprof-lsp-request (connection method params success)
  "Ask CONNECTION for METHOD with PARAMS and call SUCCESS with the answer, later.
SUCCESS is called in the current buffer, unless that has been killed.  Errors
are dropped: the text may have changed meanwhile, and is asked for again."
  (let ((buffer (current-buffer)))
    (jsonrpc-async-request connection method params
                           :deferred method
                           :timeout 60
                           :success-fn (lambda (result)
                                         (when (buffer-live-p buffer)
                                           (with-current-buffer buffer
                                             (funcall success result))))
                           :error-fn #'ignore
                           :timeout-fn #'ignore)))

(defun gprof-lsp-ask (connection method params)
  "Return what CONNECTION answers to METHOD with PARAMS.
This waits, so it is for commands alone.  A refusal becomes an error that
says what the server says."
  (gprof-lsp-sync connection)
  (condition-case problem
      (jsonrpc-request connection method params :timeout 60 :deferred method)
    (jsonrpc-error
     (user-error "Server gprof-lsp: %s" (or (alist-get 'jsonrpc-error-message (cdr problem))
                                            (cadr problem))))))

;;; Places

(defun gprof-lsp-units (text encoding)
  "Return how many characters TEXT has as ENCODING counts them."
  (pcase encoding
    ("utf-32" (length text))
    ("utf-8" (string-bytes text))
    (_ (cl-loop for character across text sum (if (> character #xffff) 2 1)))))

(defun gprof-lsp-column (text character encoding)
  "Return the number of Emacs's characters in the first CHARACTER ones of TEXT.
ENCODING says how CHARACTER counts.  More than there are count as all."
  (let ((column 0) (count 0))
    (while (and (< count character) (< column (length text)))
      (setq count (+ count (gprof-lsp-units (string (aref text column)) encoding))
            column (1+ column)))
    column))

(defun gprof-lsp-position (connection)
  "Return the position of point as CONNECTION counts."
  (save-restriction
    (widen)
    (list :line (1- (line-number-at-pos nil t))
          :character (gprof-lsp-units (buffer-substring-no-properties
                                       (line-beginning-position) (point))
                                      (gprof-lsp-encoding connection)))))

(defun gprof-lsp-place (connection)
  "Return the place of point as parameters of a request to CONNECTION."
  (unless buffer-file-name (user-error "This buffer visits no file"))
  (list :textDocument (gprof-lsp-document) :position (gprof-lsp-position connection)))

(provide 'gprof-lsp-connection)
;;; gprof-lsp-connection.el ends here
