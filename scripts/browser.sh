# For scripts that need a browser, Node.js or Java: installs those of Debian if there are none. The output of the installation goes
# to the given file, and is shown if it fails.
# shellcheck shell=bash

need_chromium() {
    command -v chromium >/dev/null || debian "$1" chromium fonts-dejavu-core
}

need_node() {
    command -v npm >/dev/null || debian "$1" nodejs npm
}

need_java() {
    command -v java >/dev/null || debian "$1" default-jre-headless
}

debian() {
    local log=$1
    shift
    echo "installing $*"
    { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"; } >"$log" 2>&1 || { cat "$log"; exit 2; }
}
