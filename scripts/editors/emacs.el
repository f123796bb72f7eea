;;; emacs.el --- run by scripts/check-editors in Emacs without a screen  -*- lexical-binding: t; -*-

;;; Commentary:

;; What a user does in a copy of the project, by the functions of eglot, flymake and xref.

;;; Code:

(require 'otus)
(require 'flymake)
(require 'xref)

(defun check-ok (format &rest arguments)
  "Say what works, as FORMAT with ARGUMENTS."
  (princ (concat "  emacs: " (apply #'format format arguments) "\n")))

(defun check-wait (what condition)
  "Wait until CONDITION holds, or fail and say WHAT never happened."
  (let ((end (+ (float-time) 60)))
    (while (not (funcall condition))
      (when (> (float-time) end)
        (error "This never happened: %s; the buffer is %S" what (buffer-string)))
      (accept-process-output nil 0.05))))

(defun check-ask (method params)
  "The answer to METHOD with PARAMS."
  (jsonrpc-request (eglot--current-server-or-lose) method params :timeout 60))

(setq eglot-sync-connect 60
      eglot-confirm-server-initiated-edits nil
      eglot-send-changes-idle-time 0.01
      make-backup-files nil)

;; Who renames a name is asked whether the edits are right.
(fset 'y-or-n-p (lambda (&rest _) t))

(find-file "model.hif")
(unless (eglot-managed-p)
  (apply #'eglot (eglot--guess-contact)))
(check-wait "the server manages the buffer" #'eglot-managed-p)
(flymake-mode 1)
(flymake-start)
(check-wait "diagnostics" #'flymake-diagnostics)
(check-ok "diagnostics: %s" (car (split-string (flymake-diagnostic-text (car (flymake-diagnostics))) "\n")))

(erase-buffer)
(insert "seq(client--request->server,\n  server -- response -> client)\n")
(eglot--signal-textDocument/didChange)
(eglot-format-buffer)
(unless (equal (buffer-string) "seq(client -- request -> server, server -- response -> client)\n")
  (error "Formatting: %S" (buffer-string)))
(check-ok "formatting: %s" (string-trim (buffer-string)))
(save-buffer)

(goto-char (point-min))
(let ((hover (check-ask :textDocument/hover (eglot--TextDocumentPositionParams))))
  (unless (string-match "Law: [^\n]*" (plist-get (plist-get hover :contents) :value))
    (error "Hover: %S" hover))
  (check-ok "hover: %s" (match-string 0 (plist-get (plist-get hover :contents) :value))))

(search-forward "request")
(backward-char 2)
(let* ((found (xref-backend-definitions 'eglot (xref-backend-identifier-at-point 'eglot)))
       (group (xref-location-group (xref-item-location (car found)))))
  (unless (string-suffix-p "sig.hsf" group)
    (error "Definition: %S" group))
  (check-ok "definition: %s" (file-name-nondirectory group)))

(goto-char (point-min))
(search-forward "client")
(backward-char 2)
(eglot-rename "customer")
(check-wait "the name is changed in all files"
            (lambda ()
              (seq-every-p (lambda (it)
                             (with-current-buffer (find-file-noselect (car it))
                               (string-match-p (regexp-quote (cdr it)) (buffer-string))))
                           '(("sig.hsf" . "{ customer; server }")
                             ("model.hif" . "seq(customer --")
                             ("otus.toml" . "\"customer\"")
                             ("runs/good.htf" . "customer!request")))))
(save-some-buffers t)
(check-ok "rename: in sig.hsf, model.hif, otus.toml and runs/good.htf")

(let ((lenses (check-ask :textDocument/codeLens `(:textDocument ,(eglot--TextDocumentIdentifier)))))
  (unless (> (length lenses) 0)
    (error "There is no lens")))
(otus-analyze)
(with-current-buffer "*otus*"
  (unless (string-match-p "2 of 2 tests as expected" (buffer-string))
    (error "Analysis: %S" (buffer-string)))
  (check-ok "analyze: 2 of 2 tests as expected"))
(kill-emacs 0)
;;; emacs.el ends here
