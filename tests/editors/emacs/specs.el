;;; specs.el --- What the package does with the real server  -*- lexical-binding: t -*-

;; Run by run.py in an Emacs without a screen.  Idle timers do not run there: what they would do is
;; called.  The program and its profile are those of tests/clients/client_test.py: calls are
;; exact, and there are no samples.

(require 'cl-lib)
(require 'ert)
(require 'gprof-lsp)

(setq make-backup-files nil create-lockfiles nil auto-save-default nil
      ;; Nobody is there to answer.
      compilation-ask-about-save nil kill-buffer-query-functions nil
      xref-prompt-for-identifier nil)

(defvar spec-file (expand-file-name (getenv "GPROF_LSP_SPEC_FILE")
                                    (getenv "GPROF_LSP_SPEC_FOLDER")))

(defun spec-until (what condition)
  "Return what CONDITION returns once that is not nil; WHAT names it for an error."
  (let ((limit (+ (float-time) 60)) value)
    (while (not (setq value (funcall condition)))
      (when (> (float-time) limit) (error "No sign of %s" what))
      (accept-process-output nil 0.02))
    value))

(defun spec-overlays (kind)
  "The overlays of KIND in the order of the text."
  (sort (cl-remove-if-not (lambda (overlay) (eq (overlay-get overlay 'gprof-lsp) kind))
                          (overlays-in (point-min) (point-max)))
        (lambda (one other) (< (overlay-start one) (overlay-start other)))))

(defun spec-go-to (text)
  (goto-char (point-min))
  (search-forward text)
  (goto-char (match-beginning 0)))

(defun spec-figures (text)
  "The figures behind the line that contains TEXT, nil if there are none."
  (save-excursion
    (spec-go-to text)
    (let ((found (cl-find (line-end-position) (spec-overlays 'figures) :key #'overlay-start)))
      (and found (overlay-get found 'after-string)))))

(defun spec-lens (text)
  "The lens above the line that contains TEXT."
  (save-excursion
    (spec-go-to text)
    (let ((found (cl-find (line-beginning-position) (spec-overlays 'lens) :key #'overlay-start)))
      (and found (overlay-get found 'before-string)))))

(defun spec-refresh ()
  "Refresh, and wait until lenses and figures are drawn."
  (let* ((drawn nil)
         (gprof-lsp-drawn-functions (list (lambda (what) (push what drawn)))))
    (gprof-lsp-refresh)
    (spec-until "a refresh" (lambda () (and (memq 'lens drawn) (memq 'figures drawn))))))

(defun spec-state ()
  (let ((connection (gprof-lsp-current-connection)))
    (and connection (plist-get (gprof-lsp-status connection) :state))))

(defun spec-servers ()
  "The processes of servers that run."
  (cl-remove-if-not (lambda (process) (and (process-live-p process)
                                           (process-get process 'jsonrpc-connection)))
                    (process-list)))

(defun spec-open ()
  "Visit the source and turn the mode on; the buffer, in which everything is drawn."
  (let ((inhibit-message t)) (find-file spec-file))
  (unless (derived-mode-p 'c-mode) (c-mode))
  (gprof-lsp-mode 1)
  (spec-until "a loaded profile" (lambda () (equal (spec-state) "ready")))
  (spec-refresh)
  (current-buffer))

(defun spec-close ()
  "Kill all buffers of sources, and see the servers end."
  (dolist (buffer (buffer-list))
    ;; Eglot takes buffers of its own with it.
    (when (and (buffer-live-p buffer) (buffer-file-name buffer))
      (with-current-buffer buffer
        (set-buffer-modified-p nil)
        (kill-buffer))))
  (spec-until "the servers' end" (lambda () (null (spec-servers)))))

(defmacro spec-in-source (&rest body)
  "Run BODY in a buffer of the source in which everything is drawn; it is closed afterwards."
  (declare (indent 0))
  `(save-window-excursion
     (let ((spec-text (with-temp-buffer (insert-file-contents spec-file) (buffer-string))))
       (unwind-protect (with-current-buffer (spec-open) ,@body)
         (spec-close)
         (write-region spec-text nil spec-file nil 'quiet)))))

;;; What is drawn

(ert-deftest lenses-stand-above-functions ()
  (spec-in-source
    (dolist (expected '(("static int leaf" . "250 calls") ("static int work" . "50 calls")
                        ("static int twice" . "10 calls") ("int main" . "1 call")))
      (let ((lens (spec-lens (car expected))))
        (should (string-prefix-p (cdr expected) lens))
        (should (string-suffix-p "\n" lens))
        (should (eq (get-text-property 0 'face lens) 'gprof-lsp-lens))))
    (should (= (length (spec-overlays 'lens)) 4))))

(ert-deftest figures-stand-behind-lines-and-the-text-stays ()
  (spec-in-source
    (should (string-match-p "→ 250\\'" (spec-figures "sum += leaf")))
    (should (string-match-p "→ 40\\'" (spec-figures "once a turn")))
    (should-not (spec-figures "return sum"))
    (should (get-text-property 0 'cursor (spec-figures "once a turn")))
    (should-not (buffer-modified-p))
    (should (equal (buffer-string)
                   (with-temp-buffer (insert-file-contents spec-file) (buffer-string))))))

(ert-deftest columns-line-up-and-the-last-ones-go-first ()
  (let* ((columns [(:width 5) (:width 6)])
         (padded (gprof-lsp--padded ["10 %" "→ 40"] columns)))
    (should (equal padded '(" 10 %" "  → 40")))
    (should (equal (gprof-lsp--fitting padded 13) " 10 %    → 40"))
    (should (equal (gprof-lsp--fitting padded 12) " 10 %"))
    (should-not (gprof-lsp--fitting padded 4))
    (should-not (gprof-lsp--fitting '("    " "     ") nil)))
  (should (equal (gprof-lsp--behind-line "abc" 100 10) (concat (make-string 70 ?\s) "abc")))
  (should (equal (gprof-lsp--behind-line "abc" 40 10) (concat (make-string 27 ?\s) "abc")))
  (should (equal (gprof-lsp--behind-line "abc" 100 90) "  abc")))

(ert-deftest figures-have-the-face-of-their-heat ()
  (let ((gprof-lsp-settings '(:metric "calls")))
    (spec-in-source
      (should (eq (get-text-property 1 'face (spec-figures "sum += leaf")) 'gprof-lsp-heat-5))
      (let ((cooler (get-text-property 1 'face (spec-figures "total += twice"))))
        (should (memq cooler '(gprof-lsp-heat-1 gprof-lsp-heat-2 gprof-lsp-heat-3
                                                gprof-lsp-heat-4)))))))

(ert-deftest heat-is-in-the-fringe-of-graphical-displays ()
  (let ((gprof-lsp-settings '(:metric "calls")))
    (spec-in-source
      (should-not (spec-overlays 'heat))
      (cl-letf (((symbol-function 'gprof-lsp--has-fringe-p) (lambda () t)))
        (gprof-lsp-draw-lines-again))
      (spec-go-to "sum += leaf")
      (let ((mark (cl-find (line-beginning-position) (spec-overlays 'heat) :key #'overlay-start)))
        (should (equal (get-text-property 0 'display (overlay-get mark 'before-string))
                       '(left-fringe gprof-lsp-heat gprof-lsp-heat-5)))))))

;; What the timer does draws only if something is not drawn yet.
(ert-deftest commands-draw-what-they-have-brought-into-view ()
  (spec-in-source
    (switch-to-buffer (current-buffer))
    (let ((gprof-lsp--drawn-ranges gprof-lsp--drawn-ranges)
          (before (spec-overlays 'figures)))
      (run-hooks 'post-command-hook)
      (timer-event-handler gprof-lsp--window-timer)
      (should-not gprof-lsp--window-timer)
      (should (equal before (spec-overlays 'figures)))
      (setq gprof-lsp--drawn-ranges '((900 . 999)))
      (gprof-lsp--remove-overlays 'figures)
      (run-hooks 'post-command-hook)
      (timer-event-handler gprof-lsp--window-timer)
      (should (spec-figures "sum += leaf")))))

;; Without a screen a window shows everything: tests/clients/emacs/package_test.py scrolls one.
(ert-deftest figures-are-drawn-near-windows ()
  (should (equal (gprof-lsp--merged '((40 . 60) (0 . 20) (50 . 90) (20 . 30)))
                 '((0 . 30) (40 . 90))))
  (let ((lines [(:line 2) (:line 5) (:line 9) (:line 10)]))
    (should (equal (gprof-lsp--lines-of lines '(5 . 9)) '((:line 5) (:line 9))))
    (should (equal (gprof-lsp--lines-of lines '(0 . 99)) (append lines nil)))
    (should-not (gprof-lsp--lines-of lines '(6 . 8)))
    (should-not (gprof-lsp--lines-of [] '(0 . 8))))
  (spec-in-source
    (cl-letf (((symbol-function 'gprof-lsp--ranges) (lambda () '((0 . 8)))))
      (gprof-lsp-draw-lines-again))
    (should (spec-figures "sum += leaf"))
    (should-not (spec-figures "once a turn"))
    (should (spec-lens "int main"))))

(ert-deftest what-is-switched-off-is-not-drawn ()
  (let (gprof-lsp-lenses gprof-lsp-figures)
    (spec-in-source
      (should-not (spec-overlays 'lens))
      (should-not (spec-overlays 'figures)))))

(ert-deftest the-mode-takes-everything-back ()
  (spec-in-source
    (gprof-lsp-mode -1)
    (should-not (spec-overlays 'lens))
    (should-not (spec-overlays 'figures))
    (should-not (memq #'gprof-lsp--after-change after-change-functions))
    (spec-until "the server's end" (lambda () (null (spec-servers))))))

;;; Edits

(ert-deftest figures-follow-edits-and-undo-brings-them-back ()
  (spec-in-source
    (buffer-enable-undo)
    (goto-char (point-min))
    (insert "/* 漢😀 */\n\n")
    (undo-boundary)
    (spec-refresh)
    (should (string-prefix-p "250 calls" (spec-lens "static int leaf")))
    (should (string-match-p "→ 250\\'" (spec-figures "sum += leaf")))
    (spec-go-to "leaf(n + i)")
    (insert "1 + ")
    (undo-boundary)
    ;; At once, without an answer: its figures were of another text.
    (should-not (spec-figures "leaf(n + i)"))
    (should (spec-figures "once a turn"))
    (spec-refresh)
    (should-not (string-match-p "250" (or (spec-figures "leaf(n + i)") "")))
    (setq last-command 'ignore)
    (undo 1)
    (spec-refresh)
    (should (string-match-p "→ 250\\'" (spec-figures "leaf(n + i)")))))

(ert-deftest nothing-is-sent-while-typing ()
  (spec-in-source
    (let ((sent 0))
      (cl-letf* ((send (symbol-function 'jsonrpc-connection-send))
                 ((symbol-function 'jsonrpc-connection-send)
                  (lambda (&rest arguments) (cl-incf sent) (apply send arguments))))
        (spec-go-to "return sum")
        (dotimes (_ 100) (insert "x"))
        (should (= sent 0))
        (should gprof-lsp--timer)
        (should (timer--idle-delay gprof-lsp--timer))
        ;; What the timer does.
        (timer-event-handler gprof-lsp--timer)
        (should (= sent 3))))))

(ert-deftest saving-refreshes-at-once ()
  (spec-in-source
    (let* ((drawn nil)
           (gprof-lsp-drawn-functions (list (lambda (what) (push what drawn)))))
      (goto-char (point-min))
      (insert "\n")
      (let ((inhibit-message t)) (save-buffer))
      (spec-until "a refresh" (lambda () (and (memq 'lens drawn) (memq 'figures drawn))))
      (should (string-match-p "→ 250\\'" (spec-figures "sum += leaf"))))))

(ert-deftest an-answer-for-an-earlier-text-is-dropped ()
  (spec-in-source
    (let ((draw (gprof-lsp--when-unchanged 'lens #'gprof-lsp-draw-lenses)))
      (goto-char (point-max))
      (insert "\n")
      (funcall draw [])
      (should (= (length (spec-overlays 'lens)) 4)))))

;;; Lists

(defun spec-xref-text ()
  (with-current-buffer "*xref*" (buffer-substring-no-properties (point-min) (point-max))))

(ert-deftest callers-and-callees-are-lists ()
  (spec-in-source
    (let ((source (current-buffer)))
      (spec-go-to "work(int n)")
      (gprof-callers)
      (should (string-match-p "main · 40 calls   .*total \\+= work(i);" (spec-xref-text)))
      (should (string-match-p "twice · 10 calls   .*return work(n)" (spec-xref-text)))
      (with-current-buffer source
        (spec-go-to "work(int n)")
        (gprof-callees))
      (should (string-match-p "leaf · 250 calls   .*sum \\+= leaf" (spec-xref-text))))))

(ert-deftest a-place-in-the-list-is-where-the-call-is ()
  (spec-in-source
    (spec-go-to "work(int n)")
    (let* ((items (gprof-lsp-call-sites (gprof-lsp-any-connection)
                                        (gprof-lsp-place (gprof-lsp-any-connection)) "callers"))
           (marker (xref-location-marker (xref-item-location (car items)))))
      (goto-char marker)
      ;; Two characters of three bytes stand before it on the line.
      (should (looking-at-p "work(i); /\\* once a turn")))))

(ert-deftest a-click-on-a-lens-lists-the-callers ()
  (spec-in-source
    (switch-to-buffer (current-buffer))
    (let ((lens (spec-lens "static int leaf")))
      (should (eq (lookup-key (get-text-property 0 'keymap lens) [mouse-1]) 'gprof-lsp-click-lens))
      (gprof-lsp-click-lens `(mouse-1 (,(selected-window) 1 (0 . 0) 0 (,lens . 0)))))
    (should (string-match-p "work · 250 calls" (spec-xref-text)))))

(ert-deftest no-function-is-an-error-that-says-so ()
  (spec-in-source
    (goto-char (point-min))
    (should (equal (should-error (gprof-callers) :type 'user-error)
                   '(user-error "No function of a profile is here")))))

(ert-deftest hot-spots-are-a-table-that-leads-to-functions ()
  (spec-in-source
    ;; The run has no samples.
    (should (string-prefix-p "Nothing took time" (cadr (should-error (gprof-hot-spots)))))
    (gprof-hot-spots t)
    (with-current-buffer "*gprof hot spots*"
      (should (= (length tabulated-list-entries) 4))
      (goto-char (point-min))
      (re-search-forward " 250 +leaf")
      (gprof-lsp-visit-spot))
    (with-current-buffer (window-buffer)
      (should (equal buffer-file-name (file-truename spec-file)))
      (should (looking-at-p "leaf(int n)")))))

(ert-deftest amounts-have-their-errors-and-units ()
  (should (equal (gprof-lsp-count 1234567) "1,234,567"))
  (should (equal (gprof-lsp-amount 0.42 "seconds" 0.065 0.03) "0.42 ±0.07 s"))
  (should (equal (gprof-lsp-amount 0.0042 "seconds" 0.0005 0.0003) "4.20 ±0.50 ms"))
  (should (equal (gprof-lsp-amount 0.054 "seconds" 0.00735 0.003) "54.0 ±7.3 ms"))
  (should (equal (gprof-lsp-amount 0 "seconds" 0 0.0231) "< 0.03 s"))
  (should (equal (gprof-lsp-amount 0 "seconds" 0 0.00294) "< 3.00 ms"))
  (should (equal (gprof-lsp-amount 0 "page faults" 0 2.4) "< 3 page faults"))
  (should (equal (gprof-lsp-amount 0 "seconds" 0 nil) "0.00 s"))
  (should (equal (gprof-lsp-amount 12345 "Ir" 0 nil) "12,345 Ir")))

(ert-deftest characters-count-as-the-server-does ()
  (let ((text "/* 漢😀 */ x"))
    (should (= (gprof-lsp-units text "utf-32") 10))
    (should (= (gprof-lsp-units text "utf-16") 11))
    (should (= (gprof-lsp-units text "utf-8") 15))
    (should (= (gprof-lsp-column text 10 "utf-16") 9))
    (should (= (gprof-lsp-column text 99 "utf-8") 10))))

;;; Reports and documentation

(ert-deftest reports-have-names-that-lead-to-the-code ()
  (spec-in-source
    (gprof-report "flat-profile")
    (with-current-buffer "*gprof flat-profile*"
      (goto-char (point-min))
      (should (search-forward "cumulative" nil t))
      (re-search-forward "\\_<leaf\\_>")
      (let ((button (button-at (match-beginning 0))))
        (should button)
        (push-button (button-start button))))
    (with-current-buffer (window-buffer)
      (should (equal buffer-file-name (file-truename spec-file)))
      (should (string-match-p "static int leaf" (thing-at-point 'line))))))

(ert-deftest eldoc-has-what-the-profile-says ()
  (spec-in-source
    (should (memq #'gprof-lsp-eldoc eldoc-documentation-functions))
    (should (eq (key-binding (kbd "C-h .")) 'eldoc-doc-buffer))
    (spec-go-to "work(int n)")
    (let (said)
      (gprof-lsp-eldoc (lambda (text &rest _) (setq said text)))
      (spec-until "documentation" (lambda () said))
      (should (string-match-p "50 calls" said)))))

;;; Running

(ert-deftest a-run-is-recorded-and-shown ()
  (spec-in-source
    (let* ((gprof-lsp-record-options '("--rate=0"))
           (connection (gprof-lsp-current-connection))
           (generation (plist-get (gprof-lsp-status connection) :generation))
           (drawn nil)
           (program (gprof-lsp--shown-program))
           (buffer (progn
                     (should (equal program (expand-file-name
                                             "program" (file-truename
                                                        (getenv "GPROF_LSP_SPEC_FOLDER")))))
                     (gprof-run (shell-quote-argument program)))))
      (should (eq buffer (get-buffer "*gprof run*")))
      (spec-until "the end of the run" (lambda () (not (get-buffer-process buffer))))
      (with-current-buffer buffer
        (goto-char (point-min))
        (should (search-forward "record --rate\\=0 -- " nil t))
        (should (search-forward "gprof-lsp: gmon.out: " nil t)))
      ;; Nothing asks for it but the status.
      (gprof-lsp-remove)
      (let ((gprof-lsp-drawn-functions (list (lambda (what) (push what drawn)))))
        (spec-until "the new profile"
                    (lambda () (and (> (plist-get (gprof-lsp-status connection) :generation)
                                       generation)
                                    (memq 'lens drawn) (memq 'figures drawn)))))
      (should (string-prefix-p "250 calls" (spec-lens "static int leaf")))
      (should (string-match-p "→ 250\\'" (spec-figures "sum += leaf"))))))

(ert-deftest the-program-to-run-is-the-one-shown-or-is-asked-for ()
  (spec-in-source
    (let ((proposed nil) (program (gprof-lsp--shown-program)))
      (cl-letf (((symbol-function 'read-shell-command)
                 (lambda (_prompt initial &rest _) (setq proposed initial)))
                ((symbol-function 'read-file-name) (lambda (&rest _) "~/bin/other program")))
        (gprof-lsp--read-command-line)
        (should (equal proposed (concat (shell-quote-argument program) " ")))
        (setf (gprof-lsp-status (gprof-lsp-current-connection)) '(:program ""))
        (gprof-lsp--read-command-line)
        (should (equal proposed (concat (shell-quote-argument
                                         (expand-file-name "~/bin/other program"))
                                        " ")))))
    ;; Neither needs a connection.
    (with-temp-buffer
      (should-not (gprof-lsp--shown-program))
      (should (stringp (gprof-lsp--run-folder))))
    (let ((gprof-lsp-record-options '("--wait")))
      (should (equal (gprof-lsp-record-command "./prog 'a b' < in ")
                     "gprof-lsp record --wait -- ./prog 'a b' < in")))))

;;; Servers

(ert-deftest a-server-that-ends-takes-its-figures-with-it ()
  (spec-in-source
    (let ((inhibit-message t))
      (delete-process (car (spec-servers)))
      (spec-until "its end" (lambda () (null (gprof-lsp-current-connection)))))
    (should-not (spec-overlays 'lens))
    (should-not (spec-overlays 'figures))
    ;; Scrolling does not bring them back.
    (setq gprof-lsp--drawn-ranges nil)
    (switch-to-buffer (current-buffer))
    (gprof-lsp-draw-for-windows)
    (should-not (spec-overlays 'figures))
    (should (equal (gprof-lsp-mode-line) " gprof[off]"))
    (gprof-lsp-mode -1)
    (spec-open)
    (should (spec-lens "static int leaf"))))

(ert-deftest warnings-are-the-help-of-the-mode-line ()
  (spec-in-source
    (gprof-lsp-note-status (gprof-lsp-current-connection)
                           '(:state "ready" :message "one" :warnings ["two" "three"]))
    (should (equal (get-text-property 1 'help-echo (gprof-lsp-mode-line)) "one\ntwo\nthree"))))

(ert-deftest languages-have-the-names-of-the-protocol ()
  (dolist (expected '((c++-mode . "cpp") (c-ts-mode . "c") (f90-mode . "fortran") (rust-mode . "rust")))
    (let ((major-mode (car expected)))
      (should (equal (gprof-lsp--language) (cdr expected))))))

(ert-deftest two-buffers-share-a-server-that-ends-with-the-last ()
  (spec-in-source
    (let ((first (current-buffer))
          (other (expand-file-name "other.c" (getenv "GPROF_LSP_SPEC_FOLDER"))))
      (write-region "int other;\n" nil other nil 'quiet)
      (find-file other)
      (gprof-lsp-mode 1)
      (should (= (length (spec-servers)) 1))
      (with-current-buffer first (kill-buffer))
      (should (gprof-lsp-current-connection))
      (gprof-lsp-mode -1)
      (spec-until "the server's end" (lambda () (null (spec-servers))))
      (delete-file other))))

(ert-deftest a-server-does-not-share-a-buffer-with-one-that-is-shutting-down ()
  (spec-in-source
    (let ((earlier (process-buffer (car (spec-servers)))))
      (gprof-lsp-mode -1)
      (gprof-lsp-mode 1)
      (should-not (eq earlier (process-buffer
                               (jsonrpc--process (gprof-lsp-current-connection)))))
      (spec-until "a loaded profile" (lambda () (equal (spec-state) "ready")))
      (spec-until "the earlier server's end" (lambda () (= (length (spec-servers)) 1))))))

(ert-deftest without-the-program-the-mode-says-so-and-stays-off ()
  (let ((gprof-lsp-server-program '("no-such-gprof-lsp" "--stdio")))
    (with-current-buffer (find-file-noselect spec-file)
      (unwind-protect
          (progn
            (gprof-lsp-mode 1)
            (should-not gprof-lsp-mode)
            (should (string-match-p "There is no program no-such-gprof-lsp"
                                    (with-current-buffer (messages-buffer) (buffer-string)))))
        (kill-buffer)))))

;;; Eglot

(defun spec-require-eglot ()
  (unless (require 'eglot nil t) (ert-skip "there is no eglot"))
  (require 'gprof-lsp-eglot)
  (setq eglot-autoshutdown t))

(defun spec-eglot (contact)
  "Have eglot manage the source with the server CONTACT."
  (let ((inhibit-message t)
        (eglot-server-programs (list (cons 'c-mode contact)))
        (eglot-sync-connect 60))
    (find-file spec-file)
    (unless (derived-mode-p 'c-mode) (c-mode))
    (call-interactively #'eglot)
    (spec-until "eglot" #'eglot-managed-p)))

(ert-deftest the-mode-works-beside-the-server-of-eglot ()
  (spec-require-eglot)
  (unwind-protect
      (progn
        (spec-eglot (list (getenv "GPROF_LSP_SPEC_PYTHON") (getenv "GPROF_LSP_SPEC_STAND_IN")))
        (spec-open)
        (should (eglot-managed-p))
        (should (= (length (spec-servers)) 2))
        (should (string-prefix-p "250 calls" (spec-lens "static int leaf")))
        (spec-go-to "work(int n)")
        (gprof-callers)
        (should (string-match-p "main · 40 calls" (spec-xref-text)))
        (with-current-buffer (find-buffer-visiting spec-file)
          ;; Both are asked for documentation.
          (should (memq #'gprof-lsp-eldoc eldoc-documentation-functions))
          (should (equal (plist-get
                          (plist-get (jsonrpc-request (eglot-current-server) :textDocument/hover
                                                      (eglot--TextDocumentPositionParams))
                                     :contents)
                          :value)
                         "int work(int n)"))))
    (spec-close)))

(ert-deftest eglot-can-have-gprof-lsp-as-its-server ()
  (spec-require-eglot)
  (unwind-protect
      (let ((eglot-server-programs nil))
        (gprof-lsp-eglot-register 'c-mode)
        (spec-eglot (cdr (assoc '(c-mode) eglot-server-programs)))
        (should gprof-lsp-mode)
        (should (= (length (spec-servers)) 1))
        (spec-until "a loaded profile" (lambda () (equal (spec-state) "ready")))
        (spec-refresh)
        (should (string-prefix-p "250 calls" (spec-lens "static int leaf")))
        (should (string-match-p "→ 250\\'" (spec-figures "sum += leaf")))
        (spec-go-to "work(int n)")
        (save-current-buffer (gprof-callers))
        (should (string-match-p "main · 40 calls" (spec-xref-text)))
        (with-current-buffer (find-buffer-visiting spec-file)
          (let ((inhibit-message t)) (eglot-shutdown (eglot-current-server)))
          (should-not gprof-lsp-mode)
          (should-not (spec-overlays 'lens))))
    (spec-close)))

;;; specs.el ends here
