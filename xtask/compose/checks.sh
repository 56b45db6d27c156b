#!/usr/bin/env bash
# The checks of docker-compose.yml, which is brought up unchanged with podman and podman-compose: the steps of
# docs/how-to/containers.md. `cargo xtask compose` runs them in the root of the checkout, one by one: `checks.sh STEP`.
#
# Podman has settings, images and networks of its own in $CACHE: other containers on this machine are neither seen nor touched.
# What a run keeps between steps is in $STATE. The programs that were built are $SERVER_PROGRAM and $AGENT_PROGRAM.
#
# Docker and the images that the file names cannot be had here. Images of Debian's packages stand in for those: a small Debian, and
# on top of it what is in the folders here. Every line of both Dockerfiles is run; the cargo and the npm of the stand-ins copy what
# was built before.
set -euo pipefail

base=localhost/standin/debian
release=bookworm
# The user of both images.
user=10001
# An address that a client claims for itself.
claimed=203.0.113.9
definition=measured.toml
server=http://127.0.0.1:$SERVER_PORT
proxy=http://127.0.0.1:$PROXY_PORT
export CONTAINERS_CONF=$CACHE/containers.conf CONTAINERS_STORAGE_CONF=$CACHE/storage.conf
# Health checks are no part of podman's usual image format, and steps of a build that run in namespaces of their own need more
# rights than a virtual machine may have.
export BUILDAH_FORMAT=docker BUILDAH_ISOLATION=chroot

fail() {
    echo "$*" >&2
    exit 1
}

# Runs a command until it succeeds, for two minutes. Every wait takes seconds, on a machine that does nothing else.
until_() {
    local end=$((SECONDS + 120))
    until "$@" > /dev/null 2>&1; do
        [ "$SECONDS" -lt "$end" ] || fail "timed out waiting for: $*"
        sleep 0.2
    done
}

# A value of JSON, which is `v`, as an expression of Python: its integers are exact.
json() { python3 -c "import json, sys; v = json.load(sys.stdin); print($1)"; }

get() { curl --silent --show-error --fail --max-time 10 "$@"; }

compose() {
    "$PODMAN_COMPOSE" --podman-path "$(command -v podman)" --env-file "$STATE/compose.env" \
        --profile two-servers --profile agent "$@"
}

# Builds the images of services. The server's has the version $1, which is started from then on. The programs of both versions are
# the same, their images are not.
build() {
    local version=$1
    shift
    cat > "$STATE/compose.env" <<END
POSTGRES_PASSWORD=words4nobody
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

# Starts a service, or replaces it by one of the version that was built last, and waits until it is healthy. Those that it needs have
# to be so already: podman does not wait for them, and leaves health checks to systemd, which is not on every machine.
start() {
    compose up --detach --no-deps --no-build "$1"
    until_ podman healthcheck run "$(container "$1")"
}

# The one container of a service.
container() {
    local ids
    ids=$(podman ps --all --quiet --filter "label=com.docker.compose.service=$1")
    [ "$(wc -w <<< "$ids")" = 1 ] || fail "$1 has other containers than one: $ids"
    echo "$ids"
}

inside() {
    local id
    id=$(container "$1")
    shift
    podman exec "$id" "$@"
}

run_url() { echo "$1/api/v1/runs/$(json 'v["run_id"]' < "$STATE/report.json")"; }

# The run that was uploaded is stored as it was measured.
expect_run() {
    get "$(run_url "$1")/report" > "$STATE/stored.json"
    python3 -c 'import json, sys; one, other = (json.load(open(path)) for path in sys.argv[1:]); sys.exit(one != other)' \
        "$STATE/report.json" "$STATE/stored.json" || fail "the server has stored something else than was measured"
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
    # The limits are no higher than any machine's: not every root may raise them. Neither systemd nor a journal is needed.
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
    # shellcheck disable=SC2016 # apt replaces it
    mirror=$(apt-get indextargets --format '$(REPO_URI)' "Codename: $release" "Created-By: Packages" | sed -n 1p)
    [ -n "$mirror" ] || fail "apt knows no packages of $release"
    debootstrap --variant=minbase "$release" "$folder/root" "$mirror"
    # As the slim images of Debian.
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
    # What is measured, for a moment: all transports that need no further programs.
    cat > "$STATE/repository/$definition" <<END
about = 'One message over each.'
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
    local name mib_max image found mib
    # What images may add to the Debian under them, in MiB: the server its program and curl, the agent its own and git.
    while read -r name mib_max; do
        image=localhost/roundtrip-$name:before
        found=$(podman image inspect --format '{{.Config.User}}' "$image")
        [ "$found" = "$user" ] || fail "$image has the user $found: expected $user"
        found=$(podman image inspect --format '{{index .Config.Labels "org.opencontainers.image.revision"}}' "$image")
        [ "$found" = before ] || fail "$image names the revision $found: expected before"
        mib=$((($(podman image inspect --format '{{.Size}}' "$image") - $(podman image inspect --format '{{.Size}}' "$base")) >> 20))
        echo "note: $image adds $mib MiB to its base"
        [ "$mib" -le "$mib_max" ] || fail "$image adds $mib MiB to its base: expected at most $mib_max"
    done <<< $'server 64\nagent 128'
}

a_run_is_uploaded_and_read_back() {
    start postgres
    start server
    inside server cat /var/lib/roundtrip/agent.token > "$STATE/agent.token"
    # In a job of continuous integration, this is not a job of GitHub's.
    (cd "$STATE/repository" && env --unset=GITHUB_ACTIONS "$AGENT_PROGRAM" run --preset "$definition" --machine outside \
        --upload "$server" --token-file "$STATE/agent.token" --output "$STATE/report.json")
    expect_run "$server"
}

the_proxy_passes_the_client_address() {
    local administrator status address own gateway
    # While a container joins, podman's name server may leave a question of another one unanswered for as long as a connection
    # is waited for: the account is created before.
    administrator=$(inside server roundtrip-server account create --name ada --admin)
    start server-2
    start proxy
    expect_run "$proxy"
    status=$(curl --silent --max-time 10 --output /dev/null --write-out '%{http_code}' --header 'x-roundtrip-csrf: 1' \
        --header 'sec-fetch-site: same-origin' --header "x-forwarded-for: $claimed" --header 'content-type: application/json' \
        --data '{"token": "rtu_wrong"}' "$proxy/api/v1/session")
    [ "$status" = 401 ] || fail "a wrong token is answered with status $status"
    address=$(get --header "authorization: Bearer $administrator" "$server/api/v1/audit" |
        json 'v["events"][0]["details"]["address"]')
    read -r own gateway < <(podman inspect --format '{{range .NetworkSettings.Networks}}{{.IPAddress}} {{.Gateway}}{{end}}' \
        "$(container proxy)")
    [ -n "$gateway" ] || fail "the proxy has no address"
    [ "$address" = "$gateway" ] ||
        fail "a client came from $address: expected $gateway, neither the proxy $own nor the claimed $claimed"
}

servers_are_replaced_without_a_failed_request() {
    local url service before now requests
    url=$(run_url "$proxy")
    get "$url" > "$STATE/expected"
    # However this ends, so do the requests.
    trap 'touch "$STATE/over"' EXIT
    requests_until_over "$url" &
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
    touch "$STATE/over"
    wait "$requests" || fail "a request failed while servers were replaced"
    expect_run "$server"
}

requests_until_over() {
    local count=0
    until [ -e "$STATE/over" ]; do
        count=$((count + 1))
        get --header "authorization: Bearer $(cat "$STATE/agent.token")" "$1" > "$STATE/answer" || fail "request $count failed"
        cmp "$STATE/answer" "$STATE/expected" || fail "request $count was answered with something else: $(cat "$STATE/answer")"
        # One token may make only so many requests.
        sleep 0.02
    done
    echo "note: $count requests meanwhile, none failed"
}

# How many cases of the agent's run were unsupported and how many failed, once there is one.
run_of_agent() {
    get "$server/api/v1/projects/repository/runs?machine=inside" |
        json 'v["runs"][0]["unsupported_count"], v["runs"][0]["failure_count"]'
}

the_agent_measures_in_its_container() {
    local counts
    compose up --detach --no-deps --no-build agent
    until_ run_of_agent
    # Podman's filter of system calls refuses one transport: vmsplice.
    counts=$(run_of_agent)
    [ "$counts" = "1 0" ] || fail "in a container, unsupported and failed cases are $counts: expected 1 0"
}

containers_have_no_rights_that_they_do_not_need() {
    local service found expected folder
    for service in server server-2 agent; do
        found=$(inside "$service" id --user)
        [ "$found" = "$user" ] || fail "$service runs as $found"
        found=$(inside "$service" cat /proc/1/status)
        for expected in $'CapEff:\t0000000000000000' $'CapBnd:\t0000000000000000' $'NoNewPrivs:\t1'; do
            grep --quiet --fixed-strings "$expected" <<< "$found" || fail "$service has more rights than $expected: $found"
        done
        for folder in / /usr/local/bin; do
            ! inside "$service" touch "$folder/file" || fail "$service may write to $folder"
        done
        found=$(inside "$service" cat /proc/mounts | awk '$2 == "/" { print "," $4 "," }')
        case $found in
            *,ro,*) ;;
            *) fail "$service can write to its root: $found" ;;
        esac
    done
}

# Writes a backup, removes everything and fills an empty database: with the commands of docs/how-to/containers.md.
a_backup_fills_an_empty_database() {
    inside server roundtrip-server backup - > "$STATE/roundtrip.tar.zst"
    compose down --volumes
    start postgres
    compose run --rm -T --no-deps server restore - < "$STATE/roundtrip.tar.zst"
    start server
    expect_run "$server"
}

# Takes all of it down, volumes included, and sees that nothing is left.
down() {
    local left
    compose down --volumes
    left=$(podman ps --all --format 'container {{.Names}}' && podman volume ls --format 'volume {{.Name}}' &&
        podman network ls --filter label=io.podman.compose.project --format 'network {{.Name}}')
    [ -z "$left" ] || fail "left behind: $left"
}

# The ends of the containers' logs.
logs() {
    local name status
    podman ps --all --format '{{.Names}} {{.Status}}' | while read -r name status; do
        echo "$name $status:"
        podman logs --tail 40 "$name" 2>&1 | sed 's/^/  /'
    done
}

# Removes all containers, with their volumes and networks, and images without names. What is left is removed by the next run.
sweep() {
    podman rm --all --force --volumes --time 0 || true
    podman volume prune --force || true
    podman network prune --force || true
    podman image prune --force || true
}

"$@"
