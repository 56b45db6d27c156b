#!/usr/bin/env bash
# Tests the unchanged docker-compose.yml with podman and podman-compose, following docs/how-to/containers.md. `cargo xtask compose`
# runs each step in the root of the checkout: `checks.sh STEP`.
#
# Podman's settings, images and networks are in $CACHE, separate from other containers on this machine. Steps share files in
# $STATE. $SERVER_PROGRAM and $AGENT_PROGRAM are the compiled binaries.
#
# The tests run without Docker and without public images. They use stand-in images: a small Debian plus the folders here. Every line
# of both Dockerfiles runs, but cargo and npm in the stand-ins copy existing binaries.
set -euo pipefail

base=localhost/standin/debian
release=bookworm
# The user of both images.
user=10001
# A forged client address.
forged=203.0.113.9
definition=measured.toml
server=http://127.0.0.1:$SERVER_PORT
proxy=http://127.0.0.1:$PROXY_PORT
export CONTAINERS_CONF=$CACHE/containers.conf CONTAINERS_STORAGE_CONF=$CACHE/storage.conf
# Podman's default image format has no health checks. Build steps in their own namespaces need permissions that a virtual machine
# may not have.
export BUILDAH_FORMAT=docker BUILDAH_ISOLATION=chroot

fail() {
    echo "$*" >&2
    exit 1
}

# Runs a command until it succeeds, for up to two minutes. On an idle machine, every wait takes seconds.
wait_for() {
    local end=$((SECONDS + 120))
    until "$@" > /dev/null 2>&1; do
        [ "$SECONDS" -lt "$end" ] || fail "timed out waiting for: $*"
        sleep 0.2
    done
}

# Evaluates a Python expression on JSON from standard input, as `v`. Python's integers are exact.
json() { python3 -c "import json, sys; v = json.load(sys.stdin); print($1)"; }

# The proxy tries for 30 seconds to reach a server.
get() { curl --silent --show-error --fail-with-body --max-time 60 "$@"; }

compose() {
    "$PODMAN_COMPOSE" --podman-path "$(command -v podman)" --env-file "$STATE/compose.env" \
        --profile two-servers --profile agent "$@"
}

# Builds images of services. The server's gets the version $1, which later starts use. Versions differ only in the image: the binary
# is the same.
build() {
    local version=$1
    shift
    cat > "$STATE/compose.env" <<END
POSTGRES_PASSWORD=password4tests
PORT=$SERVER_PORT
HTTP_PORT=$PROXY_PORT
HTTPS_PORT=$PROXY_TLS_PORT
AGENT_REPOSITORY=$STATE/repository
AGENT_PRESET=/repository/$definition
AGENT_MACHINE=inside
REVISION=$version
SERVER_IMAGE=localhost/roundtrip-server:$version
AGENT_IMAGE=localhost/roundtrip-agent:before
BASE_IMAGE=$base
NODE_IMAGE=localhost/standin/node
PG_IMAGE=localhost/standin/postgres
PROXY_IMAGE=localhost/standin/caddy
RUST_IMAGE=localhost/standin/rust
END
    compose build "$@"
}

# Starts a service, or replaces it with the version built last, and waits until it is healthy. Start its dependencies first: podman
# does not wait for them, and it needs systemd for health checks, which not every machine has.
start() {
    compose up --detach --no-deps --no-build "$1"
    wait_for podman healthcheck run "$(container "$1")"
}

# The container of a service.
container() {
    local ids
    ids=$(podman ps --all --quiet --filter "label=com.docker.compose.service=$1")
    [ "$(wc -w <<< "$ids")" = 1 ] || fail "expected one container for $1, found: $ids"
    echo "$ids"
}

exec_in() {
    local id
    id=$(container "$1")
    shift
    podman exec "$id" "$@"
}

run_url() { echo "$1/api/v1/runs/$(json 'v["run_id"]' < "$STATE/report.json")"; }

# Checks that the server stored the report unchanged.
expect_stored_run() {
    get "$(run_url "$1")/report" > "$STATE/stored.json"
    python3 -c 'import json, sys; one, other = (json.load(open(path)) for path in sys.argv[1:]); sys.exit(one != other)' \
        "$STATE/report.json" "$STATE/stored.json" || fail "the stored report differs from the uploaded one"
}

prepare() {
    local program
    for program in curl debootstrap iptables podman runc; do
        command -v "$program" > /dev/null && continue
        export DEBIAN_FRONTEND=noninteractive
        apt-get update
        apt-get install --yes --no-install-recommends \
            aardvark-dns ca-certificates curl debootstrap iptables netavark podman runc
        break
    done
    cat > "$CONTAINERS_STORAGE_CONF" <<END
[storage]
driver = "overlay"
graphroot = "$CACHE/storage"
runroot = "/run/roundtrip-compose/storage"
END
    # Low limits, because not every root user may raise them. No systemd or journal needed.
    cat > "$CONTAINERS_CONF" <<END
[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
log_driver = "k8s-file"
[network]
network_backend = "netavark"
network_config_dir = "$CACHE/networks"
[engine]
cgroup_manager = "cgroupfs"
events_logger = "none"
runtime = "runc"
tmp_dir = "/run/roundtrip-compose/tmp"
END
    sweep
    podman info
    podman image exists "$base" || make_base
    for program in caddy node postgres rust; do
        make_standin "$program"
    done
}

make_base() {
    local folder mirror
    folder=$(mktemp -d "$CACHE/base-XXXXXX")
    # shellcheck disable=SC2016 # a variable of apt
    mirror=$(apt-get indextargets --format '$(REPO_URI)' "Codename: $release" "Created-By: Packages" | sed -n 1p)
    [ -n "$mirror" ] || fail "apt has no package source for $release"
    debootstrap --variant=minbase "$release" "$folder/root" "$mirror"
    # Like Debian's slim images.
    printf 'path-exclude /usr/share/%s/*\n' doc info locale man > "$folder/root/etc/dpkg/dpkg.cfg.d/slim"
    tar --create --numeric-owner --file "$folder/root.tar" --exclude='./usr/share/doc/*' --exclude='./usr/share/locale/*' \
        --exclude='./usr/share/man/*' --exclude='./var/cache/apt/*' --exclude='./var/lib/apt/lists/*' \
        --directory "$folder/root" .
    podman import "$folder/root.tar" "$base"
    rm -r "$folder"
}

make_standin() {
    local context
    context=$(mktemp -d "$CACHE/standin-XXXXXX")
    cp "xtask/compose/$1/"* "$context"
    if [ "$1" = rust ]; then
        mkdir "$context/built"
        cp "$SERVER_PROGRAM" "$AGENT_PROGRAM" "$context/built"
    fi
    podman build --tag "localhost/standin/$1" --build-arg "BASE_IMAGE=$base" "$context"
    rm -r "$context"
}

first_images() {
    mkdir "$STATE/repository"
    # A quick measurement of all transports that need no other programs.
    cat > "$STATE/repository/$definition" <<END
about = 'All transports, quickly.'
deadline_seconds = 20
[[case]]
scenario = 'roundtrip'
transports = ['eventfd', 'fifo', 'memfd-read', 'memfd-remap', 'pipe', 'pipe-epoll', 'posix-mq', 'process-vm-readv',
    'ring-futex', 'ring-posix-semaphore', 'socketpair', 'splice', 'tcp', 'udp', 'unix-dgram', 'unix-seqpacket', 'unix-stream',
    'vmsplice']
message_bytes = [4096]
modes = ['2proc']
placements = ['cross-cpu']
operations = 50
warmup = 5
repetitions = 2
END
    git -C "$STATE/repository" init --quiet --initial-branch=main
    git -C "$STATE/repository" add .
    git -C "$STATE/repository" -c user.name="A. Author" -c user.email=a@example.org -c commit.gpgsign=false \
        commit --quiet --message "One case"
    build before server agent
}

images_are_small_and_not_of_root() {
    local name program mib_max image found mib
    # Maximum size that an image may add to its base and its program, in MiB: curl for the server, git for the agent.
    while read -r name program mib_max; do
        image=localhost/roundtrip-$name:before
        found=$(podman image inspect --format '{{.Config.User}}' "$image")
        [ "$found" = "$user" ] || fail "$image runs as user $found: expected $user"
        found=$(podman image inspect --format '{{index .Config.Labels "org.opencontainers.image.revision"}}' "$image")
        [ "$found" = before ] || fail "$image has the revision $found: expected before"
        strip --strip-debug -o "$STATE/stripped" "$program"
        mib=$((($(podman image inspect --format '{{.Size}}' "$image") - $(podman image inspect --format '{{.Size}}' "$base") -
            $(stat --format %s "$STATE/stripped")) >> 20))
        echo "note: $image adds $mib MiB to its base and its program"
        [ "$mib" -le "$mib_max" ] || fail "$image adds $mib MiB to its base and its program: expected at most $mib_max"
    done <<< "server $SERVER_PROGRAM 16
agent $AGENT_PROGRAM 96"
}

a_run_is_uploaded_and_read_back() {
    start postgres
    start server
    exec_in server cat /var/lib/roundtrip/agent.token > "$STATE/agent.token"
    # Without this, the agent would detect a GitHub job in CI.
    (cd "$STATE/repository" && env --unset=GITHUB_ACTIONS "$AGENT_PROGRAM" run --preset "$definition" --machine outside \
        --upload "$server" --token-file "$STATE/agent.token" --output "$STATE/report.json")
    expect_stored_run "$server"
}

the_proxy_passes_the_client_address() {
    local administrator status address own gateway
    # Create the account before other containers start: while one joins, podman's name server may drop queries of others for as
    # long as a connection timeout.
    administrator=$(exec_in server roundtrip-server account create --name ada --admin)
    start server-2
    start proxy
    expect_stored_run "$proxy"
    status=$(curl --silent --max-time 10 --output /dev/null --write-out '%{http_code}' --header 'x-roundtrip-csrf: 1' \
        --header 'sec-fetch-site: same-origin' --header "x-forwarded-for: $forged" --header 'content-type: application/json' \
        --data '{"token": "rtu_wrong"}' "$proxy/api/v1/session")
    [ "$status" = 401 ] || fail "a wrong token returned status $status: expected 401"
    address=$(get --header "authorization: Bearer $administrator" "$server/api/v1/audit" |
        json 'v["events"][0]["details"]["address"]')
    read -r own gateway < <(podman inspect --format '{{range .NetworkSettings.Networks}}{{.IPAddress}} {{.Gateway}}{{end}}' \
        "$(container proxy)")
    [ -n "$gateway" ] || fail "the proxy has no address"
    [ "$address" = "$gateway" ] ||
        fail "the client address is $address: expected $gateway, not the proxy $own or the forged $forged"
}

servers_are_replaced_without_a_failed_request() {
    local url service before now requests
    url=$(run_url "$proxy")
    get "$url" > "$STATE/expected"
    # Stop the requests on every exit.
    trap 'touch "$STATE/stop"' EXIT
    send_requests "$url" &
    requests=$!
    compose stop server-2
    compose start server-2
    build after server
    for service in server-2 server; do
        before=$(container "$service")
        start "$service"
        now=$(container "$service")
        [ "$now" != "$before" ] || fail "$service was not replaced"
        now=$(podman inspect --format '{{.Config.Image}}' "$now")
        [ "$now" = localhost/roundtrip-server:after ] || fail "$service has the image $now"
    done
    touch "$STATE/stop"
    wait "$requests" || fail "a request failed while servers were replaced"
    expect_stored_run "$server"
}

# Sends requests until the file `stop` exists. The answer must stay the same.
send_requests() {
    local count=0
    until [ -e "$STATE/stop" ]; do
        count=$((count + 1))
        get --header "authorization: Bearer $(cat "$STATE/agent.token")" "$1" > "$STATE/answer" ||
            fail "request $count failed at $(date +%s.%N): $(cat "$STATE/answer")"
        cmp "$STATE/answer" "$STATE/expected" || fail "request $count returned a different answer: $(cat "$STATE/answer")"
        # The server limits the request rate of a token.
        sleep 0.02
    done
    echo "note: $count requests during the upgrade, none failed"
}

# The numbers of unsupported and failed cases in the agent's run. Fails if there is no run yet.
agent_run_counts() {
    get "$server/api/v1/projects/repository/runs?machine=inside" |
        json 'v["runs"][0]["unsupported_count"], v["runs"][0]["failure_count"]'
}

the_agent_measures_in_its_container() {
    local counts
    compose up --detach --no-deps --no-build agent
    wait_for agent_run_counts
    # Podman's system call filter blocks one transport: vmsplice.
    counts=$(agent_run_counts)
    [ "$counts" = "1 0" ] || fail "unsupported and failed cases in a container: $counts, expected 1 0"
}

containers_have_no_rights_that_they_do_not_need() {
    local service found expected folder
    for service in server server-2 agent; do
        found=$(exec_in "$service" id --user)
        [ "$found" = "$user" ] || fail "$service runs as $found"
        found=$(exec_in "$service" cat /proc/1/status)
        for expected in $'CapEff:\t0000000000000000' $'CapBnd:\t0000000000000000' $'NoNewPrivs:\t1'; do
            grep --quiet --fixed-strings "$expected" <<< "$found" || fail "$service has more permissions than $expected: $found"
        done
        for folder in / /usr/local/bin; do
            ! exec_in "$service" touch "$folder/file" || fail "$service can write to $folder"
        done
        found=$(exec_in "$service" cat /proc/mounts | awk '$2 == "/" { print "," $4 "," }')
        case $found in
            *,ro,*) ;;
            *) fail "the root file system of $service is writable: $found" ;;
        esac
    done
}

# Backs up, deletes everything and restores into an empty database, with the commands of docs/how-to/containers.md.
a_backup_fills_an_empty_database() {
    exec_in server roundtrip-server backup - > "$STATE/roundtrip.tar.zst"
    compose down --volumes
    start postgres
    compose run --rm -T --no-deps server restore - < "$STATE/roundtrip.tar.zst"
    start server
    expect_stored_run "$server"
}

# Stops and deletes everything, including volumes, and checks that nothing is left.
down() {
    local left
    compose down --volumes
    left=$(podman ps --all --format 'container {{.Names}}' && podman volume ls --format 'volume {{.Name}}' &&
        podman network ls --filter label=io.podman.compose.project --format 'network {{.Name}}')
    [ -z "$left" ] || fail "left behind: $left"
}

# Prints the last lines of all containers' logs.
logs() {
    local name status
    podman ps --all --format '{{.Names}} {{.Status}}' | while read -r name status; do
        echo "$name $status:"
        podman logs --tail 40 "$name" 2>&1 | sed 's/^/  /'
    done
}

# Deletes all containers, volumes, networks and unnamed images. The next run deletes the rest.
sweep() {
    podman rm --all --force --volumes --time 0 || true
    podman volume prune --force || true
    podman network prune --force || true
    podman image prune --force || true
}

"$@"
