#!/bin/sh
# Creates a temporary machine from namespaces: this machine's disk with writes kept in memory, and separate processes, network, host
# name and services. Run it as root in a new mount namespace: `sh machine.sh FOLDER ADDED...`. The files of the folders ADDED are
# added to the disk. Prints the process id of the machine's init and exits with it.
set -eu

# systemd needs its own control group, without controllers.
make_control_group() {
    mkdir "$folder/control"
    mount -t cgroup2 control "$folder/control"
    group=$(mktemp -d "$folder/control/roundtrip-docs-XXXXXX")
}

stop() {
    kill -9 "$starter" 2> /dev/null || true
    wait "$starter" || true
    echo 1 > "$group/cgroup.kill" 2> /dev/null || true
    # The group can be deleted once its processes have ended.
    for _ in $(seq 100); do
        find "$group" -depth -type d -exec rmdir {} + 2> /dev/null && break
        sleep 0.05
    done
}

init() {
    mount -t overlay -o "lowerdir=/,upperdir=$folder/upper,workdir=$folder/work" overlay "$folder/root"
    cd "$folder/root"
    # Keep links to folders, such as /lib.
    for added in "$@"; do
        tar -c -C "$added" . | tar -x --keep-directory-symlink --no-overwrite-dir
    done
    mount -t proc proc proc
    mount -t sysfs -o ro sysfs sys
    mount -t cgroup2 control sys/fs/cgroup
    mount -t tmpfs -o mode=755 run run
    mount -t tmpfs -o mode=1777 tmp tmp
    mount -t tmpfs -o mode=755 dev dev
    for device in null zero full random urandom tty; do
        touch "dev/$device"
        mount --bind "/dev/$device" "dev/$device"
    done
    mkdir dev/pts dev/shm dev/mqueue
    mount -t devpts -o newinstance,ptmxmode=666 devpts dev/pts
    mount -t tmpfs -o mode=1777 shm dev/shm
    mount -t mqueue mqueue dev/mqueue
    ln -s pts/ptmx dev/ptmx
    ln -s /proc/self/fd dev/fd
    for name in stdin=0 stdout=1 stderr=2; do
        ln -s "/proc/self/fd/${name#*=}" "dev/${name%=*}"
    done
    # Hide private folders of this machine.
    for private in root home/* var/lib/roundtrip* var/lib/postgresql etc/roundtrip; do
        [ ! -d "$private" ] || mount -t tmpfs -o mode=755 private "$private"
    done
    ip link set lo up
    mkdir -p .old-root
    pivot_root . .old-root
    cd /
    umount -l /.old-root
    rmdir /.old-root
    # systemd needs shared mounts, for example for credentials of services.
    mount --make-rshared /
    export container=roundtrip-docs
    exec /usr/lib/systemd/systemd --unit=basic.target --show-status=no < /dev/null > /dev/null 2>&1
}

folder=$1
shift
if [ "${1:-}" = inside ]; then
    shift
    init "$@"
fi
mount -t tmpfs -o mode=755 machine "$folder"
mkdir "$folder/upper" "$folder/work" "$folder/root"
make_control_group
(
    echo 0 > "$group/cgroup.procs"
    exec unshare --mount --pid --net --uts --ipc --cgroup --fork --kill-child sh "$0" "$folder" inside "$@"
) &
starter=$!
trap stop EXIT
trap 'exit 143' TERM INT HUP
until init=$(cat "/proc/$starter/task/$starter/children" 2> /dev/null) && [ -n "$init" ]; do
    kill -0 "$starter"
    sleep 0.02
done
init=${init% }
until nsenter --all --target "$init" systemctl is-system-running --wait > /dev/null 2>&1; do
    kill -0 "$init"
    sleep 0.02
done
echo "$init"
wait "$starter"
