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
gh() { refused "gh $*"; }
ssh() { refused "ssh $*"; }
refused() {
    echo "no such program here: $1" >&2
    return 1
}

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

# A report of a moment, in a file.
report() {
    cat > moment.toml <<'END'
about = "One message over a pipe."
deadline_seconds = 20
[[case]]
scenario = "roundtrip"
transports = ["pipe", "unix-stream"]
message_bytes = [64]
modes = ["2proc"]
placements = ["same-cpu"]
operations = 200
warmup = 20
repetitions = 3
END
    command roundtrip run --preset moment.toml --output "$1" > /dev/null
}

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

# The same as others reach it, at https://roundtrip.example.org. Whoever signed for it is believed here.
far_server() {
    echo "127.0.0.1 roundtrip.example.org ipc.example.org git.example.org" >> /etc/hosts
    mkdir -p "/etc/letsencrypt/live/ipc.example.org"
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj /CN=roundtrip.example.org \
        -addext basicConstraints=critical,CA:FALSE -addext subjectAltName=DNS:roundtrip.example.org,DNS:ipc.example.org \
        -keyout /etc/letsencrypt/live/ipc.example.org/privkey.pem \
        -out /etc/letsencrypt/live/ipc.example.org/fullchain.pem 2> /dev/null
    export SSL_CERT_FILE=/etc/letsencrypt/live/ipc.example.org/fullchain.pem
    [ "${1:-}" = later ] || server --port 443 --public-url https://roundtrip.example.org \
        --tls-certificate "$SSL_CERT_FILE" --tls-key /etc/letsencrypt/live/ipc.example.org/privkey.pem "$@"
}

# The runs of a project that a server has: `runs PROJECT [URL]`.
runs() {
    curl --silent --fail "${2:-http://127.0.0.1:7979}/api/v1/projects/$1/runs" | jq '.runs | length'
}
