# shellcheck shell=bash
# Functions and settings for running the commands of a page. Bash runs this file before them.
set -eEuo pipefail
export HOME=/srv/reader LC_ALL=C.UTF-8 TZ=UTC GIT_CONFIG_GLOBAL=/srv/reader/.gitconfig
mkdir -p "$HOME/here"
cd "$HOME/here"
printf '[user]\n name = A. Reader\n email = a@example.org\n[init]\n defaultBranch = main\n' > "$GIT_CONFIG_GLOBAL"

# The commands already run as root.
sudo() { "$@"; }
less() { cat "$@"; }

# Waits until a command succeeds.
wait_for() {
    local attempts=0
    until "$@" > /dev/null 2>&1; do
        attempts=$((attempts + 1))
        [ "$attempts" -lt 600 ] || { echo "timed out after 60 s waiting for: $*" >&2; return 1; }
        sleep 0.1
    done
}

# Starts a command in the background, waits until its output matches a pattern, and prints the output.
start_background() {
    local pattern=$1 output
    shift
    output=$(mktemp)
    "$@" > "$output" 2>&1 &
    background=$!
    wait_for grep -E "$pattern" "$output" || { cat "$output" >&2; return 1; }
    cat "$output"
}

stop_background() {
    kill "$background" || true
    wait "$background" || true
}

# `serve` runs in the background and stops the previous server.
roundtrip-server() {
    if [ "$1" = serve ]; then
        [ -z "${serving:-}" ] || { kill "$serving" || true; wait "$serving" || true; }
        start_background 'https?://' env roundtrip-server "$@"
        serving=$background
    else
        command roundtrip-server "$@"
    fi
}

# The head of a definition, and a small case with the given list of transports.
definition_head() { printf 'about = "A small case."\ndeadline_seconds = 20\n'; }
small_case() {
    cat <<END
[[case]]
scenario = "roundtrip"
transports = [$1]
message_bytes = [64]
modes = ["2proc"]
placements = ["same-cpu"]
operations = 200
warmup = 20
repetitions = 3
END
}

# Measures a small case and writes the report to a file.
report() {
    { definition_head; small_case '"pipe", "unix-stream"'; } > small.toml
    command roundtrip run --preset small.toml --output "$1" > /dev/null
}

# Uploads a run of a repository to the local server.
upload_run() {
    (cd "$1" && report report.json && roundtrip upload report.json --token-file "$HOME/here/agent.token")
}

# Makes a repository with two builds of an external transport, and two folders named like Node.js versions.
make_builds() {
    local side version
    repository .
    for side in old new; do
        mkdir "$side"
        cc -O2 -D_POSIX_C_SOURCE=200809L -o "$side/bench" /srv/roundtrip/benches/external/c/unix_socket.c
    done
    cp new/bench bench
    for version in 22 24; do
        mkdir -p "node-$version/bin"
        ln -s "$(command -v node)" "node-$version/bin/node"
    done
    {
        definition_head
        printf '[[program]]\nslug = "queue"\ntitle = "Queue"\nfamily = "socket"\n'
        printf 'semantics = "A pair of Unix sockets."\ncommand = ["./bench"]\n'
        small_case '"queue"'
    } > ipc.toml
    printf 'project = "queue"\npresets = ["ipc.toml"]\n' > roundtrip.toml
    git add bench ipc.toml roundtrip.toml
    git commit --quiet --message Queue
    git branch my-branch
}

# Makes a repository with a program in C. The fourth of its six commits sends each message in two calls.
make_history() {
    local number subject
    repository .
    cp /srv/roundtrip/benches/external/c/unix_socket.c bench.c
    cp /srv/roundtrip/benches/external/c/roundtrip.h .
    {
        definition_head
        printf '[[program]]\nslug = "courier"\ntitle = "Courier"\nfamily = "socket"\n'
        printf 'semantics = "A pair of Unix sockets."\ncommand = ["./bench"]\n'
        small_case '"courier"'
    } > ipc.toml
    printf 'presets = ["ipc.toml"]\nbuild = ["cc -O2 -D_POSIX_C_SOURCE=200809L -o bench bench.c"]\n' > roundtrip.toml
    for number in 1 2 3 4 5 6; do
        subject="Change $number"
        echo "$number" > NOTES
        if [ "$number" = 4 ]; then
            subject="Send header and body separately"
            sed -i 's/if (send_all(fd, message, request->message_bytes) != 0) return 1;/if (send_all(fd, message, 4) != 0 || send_all(fd, message + 4, request->message_bytes - 4) != 0) return 1;/' bench.c
        fi
        git add .
        git commit --quiet --message "$subject"
    done
}

# Example input files: values with a step in the middle, message sizes, results of hyperfine.
times_csv() {
    seq 1 40 | awk 'BEGIN { print "series,index,value" } { print "pipe," $1 "," ($1 > 20 ? 120 : 100) + $1 % 3 }' > times.csv
}
sizes_csv() { printf 'bytes,count\n64,1000\n4096,10\n' > sizes.csv; }
results_json() { printf '{"results": [{"command": "./bench", "times": [0.1, 0.11, 0.12]}]}' > results.json; }

# Makes a repository with a commit.
repository() {
    git init --quiet "$1"
    git -C "$1" commit --quiet --allow-empty -m "One"
}

# Starts a long-running command and stops it as soon as it measures.
glance() {
    "$@" > glance.log 2>&1 &
    local command=$! code=0
    until pgrep --parent "$command" > /dev/null; do
        kill -0 "$command" || { cat glance.log >&2; return 1; }
        sleep 0.1
    done
    kill -TERM "$command"
    wait "$command" || code=$?
    # Not all commands handle the signal.
    [ "$code" = 130 ] || [ "$code" = 143 ] || [ "$code" = 0 ] || { cat glance.log >&2; echo "exited with $code" >&2; return 1; }
}

# Starts a process that sends messages to itself. Its id is in `sender`.
start_sender() {
    node -e '
        require("net").createServer((socket) => socket.resume()).listen("socket", () => {
            const socket = require("net").connect("socket");
            setInterval(() => socket.write("x".repeat(64)), 1);
        });' &
    # shellcheck disable=SC2034 # pages use it
    sender=$!
    wait_for test -S socket
}

# Prints a code block of a page, such as a configuration file: `code_block LANGUAGE NUMBER PAGE`.
code_block() {
    awk -v fence="\`\`\`$1" -v wanted="$2" '
        /^ *```$/ && inside { exit }
        inside { print }
        $0 == fence { inside = ++found == wanted }' "/srv/roundtrip/$3"
}

# Starts a local server and saves the tokens that pages use.
server() {
    roundtrip-server serve "$@" > /dev/null
    cp /var/lib/roundtrip/agent.token .
    [ -s admin.token ] || roundtrip-server account create --name admin --admin > admin.token
}

# Makes the host names in pages resolve to this machine, and creates a trusted certificate for them.
example_hosts() {
    echo "127.0.0.1 roundtrip.example.org ipc.example.org git.example.org" >> /etc/hosts
    mkdir -p "/etc/letsencrypt/live/ipc.example.org"
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj /CN=roundtrip.example.org \
        -addext basicConstraints=critical,CA:FALSE -addext subjectAltName=DNS:roundtrip.example.org,DNS:ipc.example.org \
        -keyout /etc/letsencrypt/live/ipc.example.org/privkey.pem \
        -out /etc/letsencrypt/live/ipc.example.org/fullchain.pem 2> /dev/null
    export SSL_CERT_FILE=/etc/letsencrypt/live/ipc.example.org/fullchain.pem
}

# Starts a server at https://roundtrip.example.org.
https_server() {
    example_hosts
    server --port 443 --public-url https://roundtrip.example.org \
        --tls-certificate "$SSL_CERT_FILE" --tls-key /etc/letsencrypt/live/ipc.example.org/privkey.pem
}

# Prints the number of runs in a project: `count_runs PROJECT [URL]`.
count_runs() {
    curl --silent --fail "${2:-http://127.0.0.1:7979}/api/v1/projects/$1/runs" | jq '.runs | length'
}
