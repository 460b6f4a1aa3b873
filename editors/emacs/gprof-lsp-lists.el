;;; gprof-lsp-lists.el --- Callers, callees and hot spots  -*- lexical-binding: t -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Callers and callees of a function are lists of xref, which `next-error' walks; hot spots
;; are a table that sorts by each column.

;;; Code:

(require 'cl-lib)
(require 'gprof-lsp-connection)
(require 'tabulated-list)
(require 'xref)

;;; Figures as text

(defun gprof-lsp-count (count)
  "Return COUNT, a whole number, with commas."
  (let ((text (format "%.0f" count)))
    (while (string-match "\\`\\(-?[0-9]+\\)\\([0-9]\\{3\\}\\)" text)
      (setq text (replace-match "\\1,\\2" nil nil text)))
    text))

(defun gprof-lsp--scale (value)
  "Return (FACTOR . UNIT) in which VALUE, seconds, can be read."
  (cl-loop for scale in '((1 . "s") (1e3 . "ms") (1e6 . "µs") (1e9 . "ns"))
           ;; Less would have no digit that is not 0.
           when (or (= value 0) (>= (* value (car scale)) 0.0095)) return scale
           finally return '(1e9 . "ns")))

(defun gprof-lsp-amount (value unit error scale)
  "Return VALUE of UNIT as text, with ERROR, one standard deviation, unless 0.
SCALE is an answer's `unsampledBelow', nil if its costs are exact: code without
a sample took less than that, which is not nothing."
  (cond ((and scale (= value 0))
         ;; Rounded up, so that it still holds.
         (let ((step (cond ((not (equal unit "seconds")) 1) ((< scale 0.0095) 1e4) (t 100))))
           (concat "< " (gprof-lsp-amount (/ (ceiling (- (* scale step) 1e-6)) (float step))
                                          unit 0 nil))))
        ((equal unit "seconds")
         (pcase-let* ((exact (or (null error) (= error 0)))
                      (`(,factor . ,name) (gprof-lsp--scale (if exact value error)))
                      ;; Digits far below the error would say nothing.
                      (two (or exact (= factor 1) (< (* error factor) 0.95)))
                      (digits (lambda (number) (format (if two "%.2f" "%.1f") number))))
           (concat (funcall digits (* value factor))
                   (unless exact (concat " ±" (funcall digits (* error factor))))
                   " " name)))
        (t (concat (gprof-lsp-count value)
                   (when (and error (> error 0)) (concat " ±" (gprof-lsp-count error)))
                   (unless (member unit '(nil "")) (concat " " unit))))))

;;; Places in files

(defvar gprof-lsp--line-cache nil
  "Hash table of the lines of files by name, or nil to read a file each time.
It is bound while a list is made: thousands of places may be in one file.")

(defun gprof-lsp--lines-of-file (file)
  "Return the lines of FILE, a vector, from its buffer if it is visited.
It has no text if FILE cannot be read."
  (or (and gprof-lsp--line-cache (gethash file gprof-lsp--line-cache))
      (let* ((buffer (find-buffer-visiting file))
             (text (cond (buffer (with-current-buffer buffer (gprof-lsp-buffer-text)))
                         ((file-readable-p file)
                          (with-temp-buffer
                            (insert-file-contents file)
                            (buffer-string)))
                         (t "")))
             (lines (vconcat (split-string text "\n"))))
        (when gprof-lsp--line-cache (puthash file lines gprof-lsp--line-cache))
        lines)))

(defun gprof-lsp--line-text (file line)
  "Return LINE, from 0, of FILE, or an empty text if it has fewer."
  (let ((lines (gprof-lsp--lines-of-file file)))
    (if (< line (length lines)) (aref lines line) "")))

(defun gprof-lsp-xref-location (connection location)
  "Return where LOCATION, as CONNECTION sent it, is; nil if that is not in a file."
  (when-let* ((file (gprof-lsp-file-of (or (plist-get location :uri) ""))))
    (let* ((start (plist-get (plist-get location :range) :start))
           (line (plist-get start :line)))
      (xref-make-file-location file (1+ line)
                               (gprof-lsp-column (gprof-lsp--line-text file line)
                                                 (plist-get start :character)
                                                 (gprof-lsp-encoding connection))))))

(defun gprof-lsp-visit (connection location)
  "Show LOCATION, as CONNECTION sent it."
  (let ((place (or (gprof-lsp-xref-location connection location)
                   (user-error "Its source is not known"))))
    (xref-push-marker-stack)
    (let ((marker (xref-location-marker place)))
      (pop-to-buffer (marker-buffer marker))
      (goto-char marker))))

;;; Callers and callees

(defun gprof-lsp--site-text (site unit scale)
  "Return what is said of SITE, an entry of gprof/callSites.
Its times are in UNIT; SCALE as in `gprof-lsp-amount'."
  (string-join
   (delq nil
         (list (plist-get site :name)
               (and (> (plist-get site :calls) 0)
                    (concat (when (eq t (plist-get site :approximate)) "≈")
                            (gprof-lsp-count (plist-get site :calls))
                            (if (= (plist-get site :calls) 1) " call" " calls")))
               (and (plist-get site :seconds)
                    (gprof-lsp-amount (plist-get site :seconds) unit (plist-get site :error)
                                      scale))
               (and (eq t (plist-get site :recursive)) "recursive")
               (and (plist-get site :through) (concat "through " (plist-get site :through)))
               (and (not (plist-get site :uri)) "line not known")))
   " · "))

(defun gprof-lsp--site-item (connection site unit scale)
  "Return SITE of CONNECTION as an item of xref; UNIT and SCALE as above."
  (let* ((location (if (plist-get site :uri) site (plist-get site :definition)))
         (place (and location (gprof-lsp-xref-location connection location)))
         (text (gprof-lsp--site-text site unit scale)))
    (xref-make
     (if (and place (plist-get site :uri))
         (concat text "   "
                 (string-trim (gprof-lsp--line-text (xref-location-group place)
                                                    (1- (xref-location-line place)))))
       text)
     (or place (xref-make-bogus-location "No source is known")))))

(defun gprof-lsp-call-sites (connection params direction)
  "Return the calls of the function at PARAMS, a place, as items of xref.
DIRECTION is \"callers\" or \"callees\"; CONNECTION is asked."
  (let* ((answer (gprof-lsp-ask connection :gprof/callSites
                                (append params (list :direction direction))))
         (name (or (plist-get answer :name)
                   (user-error "No function of a profile is here")))
         (sites (plist-get answer :sites))
         (gprof-lsp--line-cache (make-hash-table :test #'equal)))
    (when (zerop (length sites))
      (user-error (if (equal direction "callers") "No call of %s was seen" "No call by %s was seen")
                  name))
    (mapcar (lambda (site)
              (gprof-lsp--site-item connection site (plist-get answer :unit)
                                    (plist-get answer :unsampledBelow)))
            sites)))

(defun gprof-lsp-show-sites (connection params direction)
  "List the calls in DIRECTION of the function at PARAMS, which CONNECTION knows."
  (let ((items (gprof-lsp-call-sites connection params direction))
        (buffer (current-buffer)))
    (xref-push-marker-stack)
    (funcall xref-show-xrefs-function
             (lambda ()
               ;; The first call takes what is there; later ones refresh the list.
               (or (prog1 items (setq items nil))
                   (with-current-buffer (if (buffer-live-p buffer) buffer (current-buffer))
                     (gprof-lsp-call-sites connection params direction))))
             `((window . ,(selected-window))))))

;;;###autoload
(defun gprof-callers ()
  "List the profiled calls of the function at point, those that took longest first."
  (interactive)
  (let ((connection (gprof-lsp-any-connection)))
    (gprof-lsp-show-sites connection (gprof-lsp-place connection) "callers")))

;;;###autoload
(defun gprof-callees ()
  "List the calls that the function at point made, those that took longest first."
  (interactive)
  (let ((connection (gprof-lsp-any-connection)))
    (gprof-lsp-show-sites connection (gprof-lsp-place connection) "callees")))

(defun gprof-lsp-run-lens (lens)
  "Do what LENS, as the server sent it, says: most lenses lead to callers."
  (let* ((command (plist-get lens :command))
         (connection (gprof-lsp-any-connection))
         (arguments (plist-get command :arguments)))
    (if (equal (plist-get command :command) "gprof.showCallers")
        (pcase-let (((map :uri :position :function) (aref arguments 0)))
          (gprof-lsp-show-sites connection
                                (append (list :textDocument (list :uri uri) :position position)
                                        (when function (list :function function)))
                                "callers"))
      (gprof-lsp-ask connection :workspace/executeCommand
                     (list :command (plist-get command :command)
                           :arguments (or arguments []))))))

;;; Hot spots

(defvar-local gprof-lsp--spots-connection nil "The connection that the table's rows are from.")

(defvar gprof-lsp-hot-spots-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "RET") #'gprof-lsp-visit-spot)
    (define-key map [mouse-2] #'gprof-lsp-visit-spot)
    map)
  "Keys of the table of hot spots.")

(define-derived-mode gprof-lsp-hot-spots-mode tabulated-list-mode "Hot spots"
  "The hottest functions of a program, the hottest first."
  (setq tabulated-list-format
        (vector '("#" 4 gprof-lsp--less-rank :right-align t)
                '("Self" 18 gprof-lsp--less-self :right-align t)
                '("Total" 18 gprof-lsp--less-total :right-align t)
                '("Calls" 14 gprof-lsp--less-calls :right-align t)
                '("Function" 0 t))
        tabulated-list-sort-key nil
        tabulated-list-padding 1)
  (tabulated-list-init-header))

(defun gprof-lsp--less (member)
  "Return a predicate of rows, which puts those with more of MEMBER first."
  (lambda (one other)
    (> (or (plist-get (car one) member) 0) (or (plist-get (car other) member) 0))))

(defun gprof-lsp--less-rank (one other)
  "Return non-nil if the row ONE is hotter than OTHER."
  (< (plist-get (car one) :rank) (plist-get (car other) :rank)))
(defun gprof-lsp--less-self (one other)
  "Return non-nil if the row ONE has more self time than OTHER."
  (funcall (gprof-lsp--less :selfSeconds) one other))
(defun gprof-lsp--less-total (one other)
  "Return non-nil if the row ONE has more total time than OTHER."
  (funcall (gprof-lsp--less :totalSeconds) one other))
(defun gprof-lsp--less-calls (one other)
  "Return non-nil if the row ONE has more calls than OTHER."
  (funcall (gprof-lsp--less :calls) one other))

(defun gprof-lsp--spot-row (spot answer)
  "Return the row of SPOT, of ANSWER, that of gprof/hotSpots."
  (let* ((unit (plist-get answer :unit))
         (scale (plist-get answer :unsampledBelow))
         (is-estimate (equal (plist-get answer :basis) "estimated"))
         (total (gprof-lsp-amount (plist-get spot :totalSeconds) unit
                                  (plist-get spot :totalError) scale))
         (calls (plist-get spot :calls)))
    (list spot
          (vector (number-to-string (plist-get spot :rank))
                  (gprof-lsp-amount (plist-get spot :selfSeconds) unit
                                    (plist-get spot :selfError) scale)
                  ;; A total that has no callee in it is the self time, and no estimate.
                  (if (and is-estimate (/= (plist-get spot :totalSeconds)
                                           (plist-get spot :selfSeconds)))
                      (concat "≈" total)
                    total)
                  (if calls (gprof-lsp-count calls) "")
                  (plist-get spot :name)))))

(defun gprof-lsp-visit-spot ()
  "Show the definition of the function on this row."
  (interactive)
  (let ((spot (or (tabulated-list-get-id) (user-error "No function is here"))))
    (gprof-lsp-visit gprof-lsp--spots-connection spot)))

(defun gprof-lsp--fill-spots (connection by-calls)
  "Set the rows of the current table to the hot spots that CONNECTION knows.
Non-nil BY-CALLS ranks them by their calls."
  (let ((answer (gprof-lsp-ask connection :gprof/hotSpots
                               (append (list :limit 200) (when by-calls '(:metric "calls"))))))
    (when (string-empty-p (plist-get answer :program))
      (user-error "No profile is loaded"))
    (when (zerop (length (plist-get answer :spots)))
      (user-error (if by-calls "No calls were counted"
                    "Nothing took time, as far as was sampled; with C-u, calls are listed")))
    (setq gprof-lsp--spots-connection connection
          ;; Nothing else in a table without times says how it is ranked.
          mode-name (if by-calls "Hot spots by calls" "Hot spots")
          tabulated-list-entries (mapcar (lambda (spot) (gprof-lsp--spot-row spot answer))
                                         (plist-get answer :spots)))))

;;;###autoload
(defun gprof-hot-spots (&optional by-calls)
  "List the hottest functions of the program in a table.
With BY-CALLS, a prefix argument, rank them by calls instead of time."
  (interactive "P")
  (let ((connection (gprof-lsp-any-connection))
        (buffer (get-buffer-create "*gprof hot spots*")))
    (with-current-buffer buffer
      (gprof-lsp-hot-spots-mode)
      (add-hook 'tabulated-list-revert-hook
                (lambda () (gprof-lsp--fill-spots connection by-calls)) nil t)
      (gprof-lsp--fill-spots connection by-calls)
      (tabulated-list-print))
    (pop-to-buffer buffer)))

(provide 'gprof-lsp-lists)
;;; gprof-lsp-lists.el ends here
