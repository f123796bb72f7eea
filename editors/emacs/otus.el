;;; otus.el --- Otus in Emacs, with eglot  -*- lexical-binding: t; -*-

;; Package-Requires: ((emacs "26.3") (eglot "1.9"))

;;; Commentary:

;; Eglot is part of Emacs 29 and newer.  Put this file into `load-path' and say
;;
;;     (require 'otus)
;;
;; `otus' must be in the path of programs, or be named in `otus-command'.
;; M-x otus-analyze shows the verdicts about the specification in the current buffer.

;;; Code:

(require 'eglot)

(defgroup otus nil
  "Sequence diagrams that logs are checked against."
  :group 'languages)

(defcustom otus-command '("otus" "lsp")
  "The program and the arguments that start the language server."
  :type '(repeat string)
  :group 'otus)

(defvar otus-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?/ ". 124b" table)
    (modify-syntax-entry ?* ". 23" table)
    (modify-syntax-entry ?\n "> b" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?_ "w" table)
    table)
  "The syntax of .hsf, .hif, .hcf, .htf and .ctl.")

(defconst otus-font-lock-keywords
  `((,(concat "\\_<" (regexp-opt '("strict" "seq" "par" "alt" "coreg" "loopS" "loopW" "loopH" "loopP" "loopC"
                                   "loop_strict" "loop_seq" "loop_par" "new" "fresh"))
              "\\_>\\s-*(")
     . font-lock-keyword-face)
    ("@[a-z_]+" . font-lock-preprocessor-face)
    ("\\(\\sw+\\)\\s-*\\(?:--\\|[!?]\\)" 1 font-lock-type-face)
    ("->\\s-*\\(\\sw+\\)" 1 font-lock-type-face)
    ("\\(?:--\\|[!?]\\)\\s-*\\(?:<a?synch>\\s-*\\)?\\(\\sw+\\)" 1 font-lock-function-name-face))
  "What is coloured in `otus-mode'.")

;;;###autoload
(define-derived-mode otus-mode prog-mode "Otus"
  "A mode for signatures, interactions, options, multi-traces and formulas."
  (setq-local comment-start "// ")
  (setq-local comment-end "")
  (setq-local font-lock-defaults '(otus-font-lock-keywords)))

;;;###autoload
(define-derived-mode otus-diagram-mode text-mode "Diagram"
  "A mode for Mermaid and PlantUML, for those who have no other.")

;;;###autoload
(define-derived-mode otus-settings-mode prog-mode "otus.toml"
  "A mode for otus.toml."
  (setq-local comment-start "# "))

;;;###autoload
(progn
  (add-to-list 'auto-mode-alist '("\\.\\(?:hsf\\|hif\\|hcf\\|htf\\|ctl\\)\\'" . otus-mode))
  (add-to-list 'auto-mode-alist '("\\.\\(?:mmd\\|mermaid\\|puml\\|plantuml\\|pu\\|iuml\\|wsd\\)\\'" . otus-diagram-mode))
  (add-to-list 'auto-mode-alist '("/otus\\.toml\\'" . otus-settings-mode)))

(defun otus--contact (&rest _)
  "The program that eglot starts."
  otus-command)

(add-to-list 'eglot-server-programs
             '((otus-mode otus-diagram-mode otus-settings-mode) . otus--contact))
(dolist (hook '(otus-mode-hook otus-diagram-mode-hook otus-settings-mode-hook))
  (add-hook hook #'eglot-ensure))

(defun otus-analyze ()
  "Show the verdicts about the specification in the current buffer."
  (interactive)
  (let* ((uri (eglot--path-to-uri buffer-file-name))
         (result (jsonrpc-request (eglot--current-server-or-lose) :workspace/executeCommand
                                  `(:command "otus.analyze" :arguments [(:uri ,uri)])
                                  :timeout 600)))
    (with-current-buffer (get-buffer-create "*otus*")
      (let ((inhibit-read-only t))
        (erase-buffer)
        (insert (plist-get result :text))
        (goto-char (point-min)))
      (special-mode)
      (display-buffer (current-buffer)))
    (message "%s" (plist-get result :summary))))

(provide 'otus)
;;; otus.el ends here
