;;; observe.el --- What a user of Emacs would see of a profile  -*- lexical-binding: t -*-

;; Loaded by show-eglot.el and show-lsp-mode.el in an Emacs with a terminal of its own, so that
;; redisplay and idle timers run as they do for people.  The environment's GPROF_LSP_PLAN names a
;; JSON file:
;;   configuration  the file that configures the package
;;   folder  the program's folder
;;   file    the source to look at      result  where to write what was seen, as JSON
;;   hovers  places: {line, word}       called  the place of a function whose callers to see
;;   top     the place of a function whose callees to see, and theirs
;; Lines count from 1.  Nothing of the packages is changed.

(require 'json)
(require 'subr-x)

(defvar observe-plan
  (let ((json-object-type 'plist) (json-array-type 'list))
    (json-read-file (getenv "GPROF_LSP_PLAN"))))

(defvar observe-patience 60
  "Seconds until something that does not happen counts as broken.")

(defun observe-until (what condition &optional pause)
  "Return what CONDITION returns once that is not nil; WHAT names it for an error.
Idle timers of more than PAUSE seconds do not run meanwhile."
  (let ((limit (+ (float-time) observe-patience)) value)
    (while (not (setq value (funcall condition)))
      (when (> (float-time) limit) (error "No sign of %s" what))
      ;; Redisplays, reads from processes and runs timers, idle ones too.
      (sit-for (or pause 0.02)))
    value))

(defun observe-go-to (place)
  "Move to PLACE, a line and a word in it."
  (goto-char (point-min))
  (forward-line (1- (plist-get place :line)))
  (re-search-forward (concat "\\_<" (regexp-quote (plist-get place :word)) "\\_>")
                     (line-end-position))
  (goto-char (match-beginning 0)))

(defun observe-after-strings (mark)
  "What overlays with the property MARK show behind the text, as places and texts.
They are in the order in which they are shown, and have been drawn."
  (let ((overlays (seq-filter (lambda (overlay)
                                (and (overlay-get overlay mark)
                                     (overlay-get overlay 'after-string)))
                              (overlays-in (point-min) (point-max)))))
    (when overlays (redisplay t))
    (mapcar (lambda (overlay)
              `((line . ,(line-number-at-pos (overlay-end overlay)))
                (text . ,(substring-no-properties (overlay-get overlay 'after-string)))))
            (sort overlays #'observe-shown-before))))

(defun observe-shown-before (one other)
  "At one place, the overlay of higher priority shows its string first."
  (let ((priority (lambda (overlay) (or (overlay-get overlay 'priority) 0))))
    (if (= (overlay-end one) (overlay-end other))
        (> (funcall priority one) (funcall priority other))
      (< (overlay-end one) (overlay-end other)))))

(defun observe-member (object key)
  "The member KEY, a string, of a JSON OBJECT in whatever shape a package reads it into."
  (if (hash-table-p object) (gethash key object)
    (plist-get object (intern (concat ":" key)))))

(defun observe-walk (request item depth)
  "ITEM of the call hierarchy with its callees, DEPTH levels deep.
REQUEST takes a method and parameters as a property list."
  `((name . ,(observe-member item "name"))
    (detail . ,(observe-member item "detail"))
    (callees
     . ,(vconcat
         (when (> depth 0)
           (mapcar (lambda (call) (observe-walk request (observe-member call "to") (1- depth)))
                   (funcall request "callHierarchy/outgoingCalls" (list :item item))))))))

(defun observe-item (request parameters place)
  "The item of the call hierarchy at PLACE; PARAMETERS makes a request's of the place of point."
  (observe-go-to place)
  (elt (funcall request "textDocument/prepareCallHierarchy" (funcall parameters)) 0))

(defun observe-callers (request item)
  "Callers of ITEM with the lines of their calls."
  (vconcat
   (mapcar (lambda (call)
             (let ((from (observe-member call "from")))
               `((name . ,(observe-member from "name"))
                 (detail . ,(observe-member from "detail"))
                 (lines . ,(vconcat (mapcar #'observe-line-of
                                            (observe-member call "fromRanges")))))))
           (funcall request "callHierarchy/incomingCalls" (list :item item)))))

(defun observe-hierarchy (request parameters)
  "The call hierarchy of the plan, up and down."
  `((callees . ,(observe-walk request
                              (observe-item request parameters (plist-get observe-plan :top)) 3))
    (callers . ,(observe-callers
                 request (observe-item request parameters (plist-get observe-plan :called))))))

(defun observe-line-of (range)
  (1+ (observe-member (observe-member range "start") "line")))

(defun observe-run (look)
  "Open the plan's file, call LOOK there, write the alist that it returns, and end."
  (let ((result
         (condition-case problem
             (progn
               (find-file (plist-get observe-plan :file))
               (delete-other-windows)
               (funcall look))
           (error `((error . ,(error-message-string problem))
                    (messages . ,(with-current-buffer (messages-buffer) (buffer-string))))))))
    (with-temp-file (plist-get observe-plan :result)
      (set-buffer-file-coding-system 'utf-8)
      (insert (json-encode `((emacs . ,emacs-version) ,@result))))
    ;; Called from here, it asks nobody.
    (kill-emacs 0)))

(provide 'observe)
;;; observe.el ends here
