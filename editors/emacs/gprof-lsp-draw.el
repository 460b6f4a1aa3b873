;;; gprof-lsp-draw.el --- Lenses, figures and heat as overlays  -*- lexical-binding: t -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Draws the answers of textDocument/codeLens above functions, and those of gprof/lineData behind the
;; text of lines and in the fringe.  What is behind a line never wraps: columns that have no room
;; are left out, the last ones first.  The buffer's text is not touched.
;;
;; Figures are drawn near what windows show, and again when these scroll: tens of thousands of
;; overlays would make a large file slow, most of all before Emacs 29.  Lenses are few, and all are
;; drawn: code must not move while it is scrolled.

;;; Code:

(require 'cl-lib)
(require 'gprof-lsp-connection)

(defcustom gprof-lsp-lenses t
  "Non-nil shows calls, times and rank above functions."
  :type 'boolean
  :group 'gprof-lsp)

(defcustom gprof-lsp-figures t
  "Non-nil shows the figures of lines behind their text."
  :type 'boolean
  :group 'gprof-lsp)

(defcustom gprof-lsp-heat-in-fringe t
  "Non-nil marks hot lines in the left fringe, on graphical displays."
  :type 'boolean
  :group 'gprof-lsp)

(defcustom gprof-lsp-figures-column 80
  "The column at which figures begin, where lines and the window have room for it."
  :type 'natnum
  :group 'gprof-lsp)

(defface gprof-lsp-lens '((t :inherit shadow))
  "Face of the lenses above functions."
  :group 'gprof-lsp)

(defface gprof-lsp-figures '((t :inherit shadow))
  "Face of the figures of lines that are not hot."
  :group 'gprof-lsp)

(defface gprof-lsp-heat-1
  '((((background dark)) :foreground "#9a8f6a") (t :foreground "#8a7f50"))
  "Face of the figures of lines of the lowest heat."
  :group 'gprof-lsp)

(defface gprof-lsp-heat-2
  '((((background dark)) :foreground "#c2a34f") (t :foreground "#97741a"))
  "Face of the figures of lines of the second heat."
  :group 'gprof-lsp)

(defface gprof-lsp-heat-3
  '((((background dark)) :foreground "#e0a040") (t :foreground "#a85f00"))
  "Face of the figures of lines of the third heat."
  :group 'gprof-lsp)

(defface gprof-lsp-heat-4
  '((((background dark)) :foreground "#f08040") (t :foreground "#b84000"))
  "Face of the figures of lines of the fourth heat."
  :group 'gprof-lsp)

(defface gprof-lsp-heat-5
  '((((background dark)) :foreground "#ff6050" :weight bold)
    (t :foreground "#c00010" :weight bold))
  "Face of the figures of the hottest lines."
  :group 'gprof-lsp)

(defconst gprof-lsp--heat-faces
  [gprof-lsp-figures gprof-lsp-heat-1 gprof-lsp-heat-2 gprof-lsp-heat-3 gprof-lsp-heat-4
                     gprof-lsp-heat-5]
  "Faces by level of heat.")

(defvar gprof-lsp-lens-function #'ignore
  "Called with a lens, as the server sent it, that was clicked.")

(defvar gprof-lsp-lens-map
  (let ((map (make-sparse-keymap)))
    (define-key map [mouse-1] #'gprof-lsp-click-lens)
    map)
  "Keys of lenses.")

(defvar-local gprof-lsp--line-data nil "The last answer of gprof/lineData.")
(defvar-local gprof-lsp--line-data-tick nil
  "`buffer-chars-modified-tick' of the text that the last answer is for.")
(defvar-local gprof-lsp--drawn-ranges nil
  "What figures are drawn of: (FIRST . LAST) lines, from 0, in ascending order.")
(defvar-local gprof-lsp--drawn-width nil "The `gprof-lsp--width' that figures are drawn for.")

(when (fboundp 'define-fringe-bitmap)
  (define-fringe-bitmap 'gprof-lsp-heat [#b00111100] nil nil '(center t)))

(defun gprof-lsp--remove-overlays (&rest kinds)
  "Remove the overlays of KINDS from the current buffer."
  (save-restriction
    (widen)
    (dolist (kind kinds)
      (remove-overlays (point-min) (point-max) 'gprof-lsp kind))))

(defun gprof-lsp-remove ()
  "Remove everything drawn in the current buffer, and forget the last answer.
Otherwise scrolling would draw its figures again."
  (gprof-lsp--remove-overlays 'lens 'figures 'heat)
  (setq gprof-lsp--line-data nil
        gprof-lsp--line-data-tick nil))

(defun gprof-lsp--overlay (kind begin end)
  "Make an overlay of KIND from BEGIN to END."
  (let ((overlay (make-overlay begin end)))
    (overlay-put overlay 'gprof-lsp kind)
    overlay))

(defmacro gprof-lsp--at-lines (binding &rest body)
  "Run BODY at the beginnings of lines, from the first to the last.
BINDING is (ITEM ITEMS LINE): BODY is run for each ITEM of the sequence ITEMS,
at the line that LINE, a form, says, counted from 0.  Items must be in ascending
order; those behind the last line are left out."
  (declare (indent 1) (debug ((symbolp form form) body)))
  (let ((at (make-symbol "at")) (wanted (make-symbol "wanted")))
    `(save-excursion
       (save-restriction
         (widen)
         (goto-char (point-min))
         (let ((,at 0))
           (cl-loop for ,(car binding) being the elements of ,(cadr binding)
                    for ,wanted = ,(nth 2 binding)
                    while (zerop (forward-line (- ,wanted ,at)))
                    do (setq ,at ,wanted)
                    (progn ,@body)))))))

;;; Lenses

(defun gprof-lsp--lens-line (lens)
  "Return the line of LENS, from 0."
  (plist-get (plist-get (plist-get lens :range) :start) :line))

(defun gprof-lsp--lens-text (lens)
  "Return what LENS shows; clicks on it find the lens in a property."
  (propertize (plist-get (plist-get lens :command) :title)
              'gprof-lsp-lens lens
              'face 'gprof-lsp-lens
              'mouse-face 'highlight
              'help-echo "mouse-1: where it is called"
              'keymap gprof-lsp-lens-map))

(defun gprof-lsp--lenses-by-line (lenses)
  "Return lists of LENSES that share a line, in the order of the lines.
Lenses without a command say nothing and are left out."
  (let (groups)
    (cl-loop for lens being the elements of lenses
             when (plist-get lens :command)
             do (if (and groups (= (gprof-lsp--lens-line lens)
                                   (gprof-lsp--lens-line (caar groups))))
                    (push lens (car groups))
                  (push (list lens) groups)))
    (nreverse (mapcar #'nreverse groups))))

(defun gprof-lsp-draw-lenses (lenses)
  "Draw LENSES, the answer of textDocument/codeLens, above their lines."
  (gprof-lsp--remove-overlays 'lens)
  (when gprof-lsp-lenses
    (gprof-lsp--at-lines (group (gprof-lsp--lenses-by-line lenses)
                                (gprof-lsp--lens-line (car group)))
      (let ((overlay (gprof-lsp--overlay 'lens (point) (point))))
        (overlay-put overlay 'before-string
                     (concat (make-string (current-indentation) ?\s)
                             (mapconcat #'gprof-lsp--lens-text group
                                        (propertize " | " 'face 'gprof-lsp-lens))
                             "\n"))))))

(defun gprof-lsp-click-lens (event)
  "Run the lens that EVENT, a click, is on."
  (interactive "e")
  (when-let* ((place (posn-string (event-start event)))
              (lens (get-text-property (cdr place) 'gprof-lsp-lens (car place))))
    (select-window (posn-window (event-start event)))
    (funcall gprof-lsp-lens-function lens)))

;;; Figures of lines

(defun gprof-lsp--padded (cells columns)
  "Return CELLS, texts, each ending where its column of COLUMNS ends."
  (cl-loop for cell being the elements of cells
           for column being the elements of columns
           collect (concat (make-string (max 0 (- (plist-get column :width) (string-width cell)))
                                        ?\s)
                           cell)))

(defun gprof-lsp--fitting (cells room)
  "Return as many of CELLS, padded texts, as fit into ROOM columns, as one text.
Return nil if nothing fits, or what fits is blank.  Without ROOM, all fit."
  (let ((text (string-join cells "  ")))
    (while (and cells room (> (string-width text) room))
      (setq cells (butlast cells)
            text (string-join cells "  ")))
    (unless (string-blank-p text) (string-trim-right text))))

(defun gprof-lsp--width ()
  "Return the columns of the narrowest window of the current buffer.
Return nil if it has none."
  (let ((windows (get-buffer-window-list nil nil t)))
    (when windows
      ;; The last column of a terminal is for the sign of long lines.
      (1- (apply #'min (mapcar #'window-max-chars-per-line windows))))))

(defun gprof-lsp--behind-line (text width line-width)
  "Return TEXT with the blanks that put it behind a line of LINE-WIDTH columns.
WIDTH is that of the window, nil if unknown."
  (let* ((latest (and width (- width (string-width text))))
         (column (max (+ line-width 2)
                      (if latest (min gprof-lsp-figures-column latest) gprof-lsp-figures-column))))
    (concat (make-string (- column line-width) ?\s) text)))

(defun gprof-lsp--draw-figures (line columns width)
  "Draw the cells of LINE, which point is at, under COLUMNS in a window of WIDTH."
  (let* ((end (line-end-position))
         (line-width (save-excursion (goto-char end) (current-column)))
         (text (gprof-lsp--fitting (gprof-lsp--padded (plist-get line :cells) columns)
                                   (and width (max 0 (- width line-width 2))))))
    (when text
      (let ((shown (propertize (gprof-lsp--behind-line text width line-width)
                               'face (aref gprof-lsp--heat-faces (plist-get line :level)))))
        ;; At the end of a line the cursor stays before the figures.
        (put-text-property 0 1 'cursor t shown)
        (overlay-put (gprof-lsp--overlay 'figures end end) 'after-string shown)))))

(defun gprof-lsp--draw-heat (line)
  "Mark LINE, which point is at, in the fringe."
  (let ((overlay (gprof-lsp--overlay 'heat (point) (point)))
        (face (aref gprof-lsp--heat-faces (plist-get line :level))))
    (overlay-put overlay 'before-string
                 (propertize "!" 'display `(left-fringe gprof-lsp-heat ,face)))))

(defun gprof-lsp--has-fringe-p ()
  "Return non-nil if windows have fringes: on terminals, there are none."
  (display-graphic-p))

(defun gprof-lsp--shown-lines (window margin)
  "Return (FIRST . LAST), the lines that WINDOW shows, from 0.
They are extended on both sides by MARGIN times the height of the window."
  (save-restriction
    (widen)
    (let ((more (* margin (window-body-height window))))
      (cons (max 0 (- (line-number-at-pos (window-start window) t) 1 more))
            (+ (line-number-at-pos (window-end window t) t) -1 more)))))

(defun gprof-lsp--merged (ranges)
  "Return RANGES in ascending order, those that overlap as one."
  (let (merged)
    (dolist (range (sort (copy-sequence ranges) (lambda (one other) (< (car one) (car other)))))
      (if (and merged (<= (car range) (cdar merged)))
          (setcdr (car merged) (max (cdar merged) (cdr range)))
        (push (cons (car range) (cdr range)) merged)))
    (nreverse merged)))

(defun gprof-lsp--ranges ()
  "Return what is to be drawn: lines of all windows, and a screen around them."
  (gprof-lsp--merged (mapcar (lambda (window) (gprof-lsp--shown-lines window 1))
                             (get-buffer-window-list nil nil t))))

(defun gprof-lsp--lines-of (lines range)
  "Return those of LINES, a vector in ascending order, that are in RANGE."
  (let ((line-of (lambda (index) (plist-get (aref lines index) :line)))
        (low 0) (high (length lines)))
    (while (< low high)
      (let ((middle (/ (+ low high) 2)))
        (if (< (funcall line-of middle) (car range)) (setq low (1+ middle)) (setq high middle))))
    (cl-loop for index from low below (length lines)
             while (<= (funcall line-of index) (cdr range))
             collect (aref lines index))))

(defun gprof-lsp--draw-range (range width)
  "Draw the lines of RANGE for windows of WIDTH."
  (let ((columns (plist-get gprof-lsp--line-data :columns))
        (lines (gprof-lsp--lines-of (plist-get gprof-lsp--line-data :lines) range)))
    (gprof-lsp--at-lines (line lines (plist-get line :line))
      (when (and gprof-lsp-figures (plist-get line :cells))
        (gprof-lsp--draw-figures line columns width))
      (when (and gprof-lsp-heat-in-fringe (gprof-lsp--has-fringe-p) (> (plist-get line :level) 0))
        (gprof-lsp--draw-heat line)))))

(defun gprof-lsp-draw-lines (answer)
  "Draw ANSWER, that of gprof/lineData for the current text."
  (setq gprof-lsp--line-data answer
        gprof-lsp--line-data-tick (buffer-chars-modified-tick))
  (gprof-lsp-draw-lines-again))

(defun gprof-lsp-draw-lines-again ()
  "Draw the last answer for the windows that there are now.
Lines that were edited since wait for the next answer."
  (when (eql gprof-lsp--line-data-tick (buffer-chars-modified-tick))
    (gprof-lsp--remove-overlays 'figures 'heat)
    (setq gprof-lsp--drawn-ranges (gprof-lsp--ranges)
          gprof-lsp--drawn-width (gprof-lsp--width))
    (dolist (range gprof-lsp--drawn-ranges)
      (gprof-lsp--draw-range range gprof-lsp--drawn-width))))

(defun gprof-lsp--drawn-p (window)
  "Return non-nil if all lines that WINDOW shows are drawn."
  (let ((shown (gprof-lsp--shown-lines window 0)))
    (cl-some (lambda (range) (<= (car range) (car shown) (cdr shown) (cdr range)))
             gprof-lsp--drawn-ranges)))

(defun gprof-lsp-draw-for-windows ()
  "Draw the last answer again if windows have another width, or show other lines."
  (unless (and (eql gprof-lsp--drawn-width (gprof-lsp--width))
               (cl-every #'gprof-lsp--drawn-p (get-buffer-window-list nil nil t)))
    (gprof-lsp-draw-lines-again)))

(defun gprof-lsp-clean (begin end)
  "Remove the figures of lines that an edit from BEGIN to END has changed.
What the server says of their new text comes with the next refresh."
  (save-excursion
    (goto-char end)
    (let ((last (line-end-position)))
      (goto-char begin)
      (dolist (kind '(figures heat))
        ;; Empty overlays at the very end count as well.
        (dolist (overlay (overlays-in (line-beginning-position) (1+ last)))
          (when (and (eq (overlay-get overlay 'gprof-lsp) kind)
                     (<= (overlay-start overlay) last))
            (delete-overlay overlay)))))))

(provide 'gprof-lsp-draw)
;;; gprof-lsp-draw.el ends here
