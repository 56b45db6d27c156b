# shellcheck shell=bash
# Whoever reads a page and types what stands there: bash, sourced before the commands of a page.
set -eEuo pipefail
export HOME=/srv/reader LC_ALL=C.UTF-8 TZ=UTC GIT_CONFIG_GLOBAL=/srv/reader/.gitconfig
mkdir -p "$HOME/here"
cd "$HOME/here"
printf '[user]\n name = A. Reader\n email = a@example.org\n[init]\n defaultBranch = main\n' > "$GIT_CONFIG_GLOBAL"

# Who reads is root already.
sudo() { "$@"; }
less() { cat "$@"; }

# Waits until a command succeeds.
until_() {
    local turns=0
    until "$@" > /dev/null 2>&1; do
        turns=$((turns + 1))
        [ "$turns" -lt 600 ] || { echo "waited 60 s in vain for: $*" >&2; return 1; }
        sleep 0.1
    done
}

# A command that goes on until it is told to end: it has begun when it has said something that fits. What it says is shown.
begins() {
    local says=$1 said
    shift
    said=$(mktemp)
    "$@" > "$said" 2>&1 &
    begun=$!
    until_ grep -E "$says" "$said" || { cat "$said" >&2; return 1; }
    cat "$said"
}

ends() {
    kill "$begun" || true
    wait "$begun" || true
}

# A server in a terminal of its own, which ends when it gets another one.
roundtrip-server() {
    if [ "$1" = serve ]; then
        [ -z "${serving:-}" ] || { kill "$serving" || true; wait "$serving" || true; }
        begins 'https?://' env roundtrip-server "$@"
        serving=$begun
    else
        command roundtrip-server "$@"
    fi
}

# The beginning of a definition, and its only case: a moment of these transports, as a list has them.
beginning() { printf 'about = "A moment."\ndeadline_seconds = 20\n'; }
moment() {
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

# A report of a moment, in a file.
report() {
    { beginning; moment '"pipe", "unix-stream"'; } > moment.toml
    command roundtrip run --preset moment.toml --output "$1" > /dev/null
}

# A run of a repository on the server of this machine.
uploads() {
    (cd "$1" && report report.json && roundtrip upload report.json --token-file "$HOME/here/agent.token")
}

# Two builds of a transport of one's own, and two programs that are called as if they were two versions of Node.
builds() {
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
        beginning
        printf '[[program]]\nslug = "queue"\ntitle = "Queue"\nfamily = "socket"\n'
        printf 'semantics = "A pair of Unix sockets."\ncommand = ["./bench"]\n'
        moment '"queue"'
    } > ipc.toml
    printf 'project = "queue"\npresets = ["ipc.toml"]\n' > roundtrip.toml
    git add bench ipc.toml roundtrip.toml
    git commit --quiet --message Queue
    git branch my-branch
}

# Files that people have: values that get longer in the middle, sizes of messages, what hyperfine writes.
times_csv() {
    seq 1 40 | awk 'BEGIN { print "series,index,value" } { print "pipe," $1 "," ($1 > 20 ? 120 : 100) + $1 % 3 }' > times.csv
}
sizes_csv() { printf 'bytes,count\n64,1000\n4096,10\n' > sizes.csv; }
results_json() { printf '{"results": [{"command": "./bench", "times": [0.1, 0.11, 0.12]}]}' > results.json; }

# A repository with a commit.
repository() {
    git init --quiet "$1"
    git -C "$1" commit --quiet --allow-empty -m "One"
}

# What would go on for minutes or for ever: it is ended once it has begun to measure.
glance() {
    "$@" > glance.log 2>&1 &
    local looked=$! code=0
    until pgrep --parent "$looked" > /dev/null; do
        kill -0 "$looked" || { cat glance.log >&2; return 1; }
        sleep 0.1
    done
    kill -TERM "$looked"
    wait "$looked" || code=$?
    [ "$code" = 143 ] || [ "$code" = 0 ] || { cat glance.log >&2; echo "it ended with $code" >&2; return 1; }
}

# A process that sends messages to itself, in `sender`.
sends() {
    node -e '
        require("net").createServer((socket) => socket.resume()).listen("socket", () => {
            const socket = require("net").connect("socket");
            setInterval(() => socket.write("x".repeat(64)), 1);
        });' &
    # shellcheck disable=SC2034 # pages use it
    sender=$!
    until_ test -S socket
}

# A block of a page that is not typed: `stands LANGUAGE NUMBER PAGE`.
stands() {
    awk -v fence="\`\`\`$1" -v wanted="$2" '
        /^ *```$/ && inside { exit }
        inside { print }
        $0 == fence { inside = ++found == wanted }' "/srv/roundtrip/$3"
}

# A server on this machine, with the tokens that pages speak of.
server() {
    roundtrip-server serve "$@" > /dev/null
    cp /var/lib/roundtrip/agent.token .
    [ -s admin.token ] || roundtrip-server account create --name admin --admin > admin.token
}

# The names of other machines, which are this one, and a certificate for them that is believed here.
far_names() {
    echo "127.0.0.1 roundtrip.example.org ipc.example.org git.example.org" >> /etc/hosts
    mkdir -p "/etc/letsencrypt/live/ipc.example.org"
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj /CN=roundtrip.example.org \
        -addext basicConstraints=critical,CA:FALSE -addext subjectAltName=DNS:roundtrip.example.org,DNS:ipc.example.org \
        -keyout /etc/letsencrypt/live/ipc.example.org/privkey.pem \
        -out /etc/letsencrypt/live/ipc.example.org/fullchain.pem 2> /dev/null
    export SSL_CERT_FILE=/etc/letsencrypt/live/ipc.example.org/fullchain.pem
}

# A server as others reach it, at https://roundtrip.example.org.
far_server() {
    far_names
    server --port 443 --public-url https://roundtrip.example.org \
        --tls-certificate "$SSL_CERT_FILE" --tls-key /etc/letsencrypt/live/ipc.example.org/privkey.pem
}

# The runs of a project that a server has: `runs PROJECT [URL]`.
runs() {
    curl --silent --fail "${2:-http://127.0.0.1:7979}/api/v1/projects/$1/runs" | jq '.runs | length'
}
