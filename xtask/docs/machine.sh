#!/bin/sh
# A machine that is thrown away: the disk of this one with what is written to it kept in memory, and processes, network, names and
# services of its own. Run by root as `sh machine.sh FOLDER ADDED...`, in mounts that are its own; what is in the folders ADDED is
# on the disk, too. Prints the process id of the machine's init, and ends with it.
set -eu

# Controllers are left to whoever has them: systemd needs a group of its own, and no more.
control() {
    mkdir "$folder/control"
    mount -t cgroup2 control "$folder/control"
    group=$folder/control/roundtrip-docs-$$
    mkdir "$group"
}

end() {
    kill -9 "$starter" 2> /dev/null || true
    wait "$starter" || true
    echo 1 > "$group/cgroup.kill" 2> /dev/null || true
    find "$group" -depth -type d -exec rmdir {} + 2> /dev/null || true
}

init() {
    mount -t overlay -o "lowerdir=/,upperdir=$folder/upper,workdir=$folder/work" overlay "$folder/root"
    cd "$folder/root"
    # Where the disk has a link to a folder, such as /lib, it stays one.
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
    # What this machine keeps for itself is not there.
    for private in root home/* var/lib/roundtrip* var/lib/postgresql etc/roundtrip; do
        [ ! -d "$private" ] || mount -t tmpfs -o mode=755 private "$private"
    done
    ip link set lo up
    mkdir -p .before
    pivot_root . .before
    cd /
    umount -l /.before
    rmdir /.before
    # What systemd mounts for services, such as their credentials, it mounts elsewhere and has it appear here.
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
control
(
    echo 0 > "$group/cgroup.procs"
    exec unshare --mount --pid --net --uts --ipc --cgroup --fork --kill-child sh "$0" "$folder" inside "$@"
) &
starter=$!
trap end EXIT
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
