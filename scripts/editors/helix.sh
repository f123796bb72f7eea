# Run by scripts/check-editors: types into Helix in a terminal of tmux, in a copy of the project, and looks at the screen.
# shellcheck shell=bash
# shellcheck disable=SC2154 # the caller sets work, hx and project

terminal() { tmux -L otus-check "$@"; }

screen() { terminal capture-pane -p -t otus; }

# Waits until the screen shows a text: WHAT TEXT.
shows() {
    local tries=0
    until screen | grep -qF -- "$2"; do
        tries=$((tries + 1))
        if [ $tries -gt 300 ]; then
            echo "helix: this never happened: $1 ($2)" >&2
            screen >&2
            tail -n 20 "$work/helix.log" >&2 || true
            terminal kill-server
            return 1
        fi
        sleep 0.1
    done
}

# Waits until a file has a text: WHAT FILE TEXT.
has() {
    local tries=0
    until grep -qF -- "$3" "$2"; do
        tries=$((tries + 1))
        if [ $tries -gt 300 ]; then
            echo "helix: this never happened: $1 ($3 in $2)" >&2
            cat "$2" >&2
            screen >&2
            terminal kill-server
            return 1
        fi
        sleep 0.1
    done
}

keys() { terminal send-keys -t otus "$@"; sleep 0.2; }

helix() {
    mkdir -p "$work/helix/helix"
    cp editors/helix/languages.toml "$work/helix/helix/languages.toml"
    printf '[editor]\ntrue-color = true\n[editor.lsp]\ndisplay-messages = true\n' >"$work/helix/helix/config.toml"
    local start
    printf -v start 'cd %q && XDG_CONFIG_HOME=%q PATH=%q:$PATH exec %s --log %q -v model.hif' \
        "$project" "$work/helix" "$work/bin" "$hx" "$work/helix.log"
    terminal new-session -d -s otus -x 120 -y 35 "$start"
    shows diagnostics 'there is no operator'
    echo "  helix: diagnostics: $(screen | grep -oF 'there is no operator `sqe`' | head -n 1)"

    # The correction that the finding proposes: the code action under the cursor.
    keys Space a
    shows 'code actions' 'Replace `sqe` by `seq`'
    keys Enter
    sleep 0.3
    keys Enter
    shows 'the corrected text' 'seq(client --'
    echo '  helix: code action: Replace `sqe` by `seq`'

    keys Escape
    keys ':format' Enter
    sleep 0.5
    keys ':write' Enter
    has formatting "$project/model.hif" 'seq(client -- request -> server, server -- response -> client)'
    echo "  helix: formatting: $(cat "$project/model.hif")"

    keys g g
    keys Space k
    shows hover 'Law:'
    echo "  helix: hover: $(screen | grep -o 'Law: [^│]*' | head -n 1)"
    keys Escape

    # On `client`, the first operand.
    keys g g w w l
    keys Space r
    shows 'the prompt for a name' 'rename-to:'
    keys C-u
    keys 'customer' Enter
    sleep 0.5
    keys ':write-all' Enter
    has 'the signature has the new name' "$project/sig.hsf" 'customer'
    has 'the trace has the new name' "$project/runs/good.htf" 'customer!request'
    echo '  helix: rename: in sig.hsf, model.hif, otus.toml and runs/good.htf'

    keys Escape
    keys g g w w l
    keys g d
    shows 'the signature after a jump' '@lifeline{'
    echo '  helix: definition: sig.hsf'
    keys Escape
    keys ':quit-all!' Enter
    terminal kill-server 2>/dev/null || true
}
