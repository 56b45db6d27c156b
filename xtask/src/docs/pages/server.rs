//! Who runs a server: installs, secures, backs up, restores, upgrades and removes it.

use super::super::page::{Block, Page, change, changed, typed};

const COMPOSE: Block = Block::Elsewhere("xtask/src/compose/scenes.rs");
const POINT_IN_TIME: Block = Block::Elsewhere("server/tests/process/point_in_time.rs");

pub(super) const PAGES: &[Page] = &[
    Page {
        path: "docs/how-to/install.md",
        given: r#"
            rm /usr/local/bin/roundtrip /usr/local/bin/roundtrip-server
            (cd /srv/releases && python3 -m http.server 8000 --bind 127.0.0.1 > /dev/null 2>&1) &
            mkdir /backup
            printf '\n\n' | minisign -G -W -s /srv/release.key -p /srv/release.pub > /dev/null
            (cd /srv/releases/latest/download && minisign -S -H -W -s /srv/release.key -m SHA256SUMS)
            KEY=$(tail -1 /srv/release.pub)
            export ROUNDTRIP_KEY=$KEY ROUNDTRIP_RELEASES=http://127.0.0.1:8000
            until_ curl --fail --silent http://127.0.0.1:8000/
        "#,
        blocks: &[
            changed(
                &[change(
                    "curl --proto =https --fail --location --remote-name https://raw.githubusercontent.com/roundtrip-ipc/roundtrip/main/install.sh",
                    "cp /srv/roundtrip/install.sh .",
                    "GitHub cannot be reached; releases are of these programs, at ROUNDTRIP_RELEASES",
                )],
                "roundtrip --version; roundtrip-server --version",
            ),
            changed(
                &[
                    change(
                        "minisign -V",
                        "for file in SHA256SUMS SHA256SUMS.minisig roundtrip-server-0.1.0-x86_64-unknown-linux-musl.tar.gz; do curl -sfO http://127.0.0.1:8000/latest/download/$file; done; minisign -V",
                        "it is fetched first, as the page says of releases",
                    ),
                    change(
                        "gh attestation verify roundtrip-1.2.3-x86_64-unknown-linux-musl.tar.gz --repo roundtrip-ipc/roundtrip",
                        "",
                        "GitHub cannot be reached",
                    ),
                ],
                "tar -xzf roundtrip-server-*.tar.gz; cd roundtrip-server-*/",
            ),
            typed(
                "systemctl is-active roundtrip-server; until_ curl --fail --silent http://127.0.0.1:7979/readyz; cp ../install.sh .",
            ),
            changed(
                &[
                    change(
                        "backup /backup/before.tar.zst ",
                        "backup /backup/before.tar.zst --data-dir /var/lib/roundtrip ",
                        "as the comment says",
                    ),
                    change(
                        "sudo systemctl restart roundtrip-agent",
                        "true",
                        "no agent is a service here; the page on services has one",
                    ),
                ],
                "test -s /backup/before.tar.zst; until_ curl --fail --silent http://127.0.0.1:7979/readyz",
            ),
            changed(
                &[change(
                    "sudo roundtrip service uninstall;",
                    "",
                    "no agent is a service here; the page on services has one",
                )],
                "test ! -e /usr/local/bin/roundtrip; test ! -e /usr/local/bin/roundtrip-server; test -d /var/lib/roundtrip; ! pgrep roundtrip-server",
            ),
        ],
    },
    Page {
        path: "docs/how-to/https.md",
        given: r#"
            far_names
            server
            repository .
            report report.json
            {
                echo 'events {} http { access_log off; server { listen 8443 ssl;'
                echo "ssl_certificate $SSL_CERT_FILE; ssl_certificate_key /etc/letsencrypt/live/ipc.example.org/privkey.pem;"
                stands nginx 1 docs/how-to/https.md
                echo '} }'
            } > nginx.conf
        "#,
        blocks: &[
            typed("curl --fail https://ipc.example.org/readyz"),
            // And the settings of a proxy, which are no commands.
            typed(
                r#"
                export SSL_CERT_FILE=/etc/letsencrypt/live/ipc.example.org/fullchain.pem
                mkdir -p /var/log/nginx /var/lib/nginx
                nginx -c "$PWD/nginx.conf"
                far=https://ipc.example.org:8443
                server --trusted-proxy 127.0.0.1/32 --public-url $far
                curl --fail --silent --head $far/healthz | grep -i strict-transport-security
                roundtrip upload report.json --upload $far --token-file agent.token
                test "$(runs here $far)" = 1
                # What is told as it happens comes at once.
                begins '^retry:' curl --no-buffer --silent --header 'accept: text/event-stream' $far/api/v1/projects/here/events
                # Who asks is whom the proxy has seen, whatever they say of themselves.
                curl --silent --interface 127.0.0.2 --header 'x-forwarded-for: 203.0.113.9' --header 'x-roundtrip-csrf: 1' \
                    --header 'sec-fetch-site: same-origin' --json '{"token": "rtu_wrong"}' $far/api/v1/session
                curl --silent --header "authorization: Bearer $(cat admin.token)" $far/api/v1/audit |
                    jq --exit-status '.events[0].details.address == "127.0.0.2"'
                "#,
            ),
        ],
    },
    Page {
        path: "docs/how-to/backup-and-restore.md",
        // With a PostgreSQL of one's own, at the name `host`, in which who reads may do anything.
        given: r#"
            echo "127.0.0.1 host" >> /etc/hosts
            install --directory --owner postgres /srv/postgresql
            bin=$(echo /usr/lib/postgresql/*/bin)
            runuser -u postgres -- "$bin/initdb" --auth trust --no-sync --pgdata /srv/postgresql/data > /dev/null
            runuser -u postgres -- "$bin/pg_ctl" start --wait --pgdata /srv/postgresql/data --log /srv/postgresql/log \
                --options '--unix_socket_directories=/tmp' > /dev/null
            export PGHOST=/tmp
            runuser -u postgres -- "$bin/createuser" --superuser root
            mkdir /backup
            ssh() { shift; (cd / && bash -c "$*"); }
            repository .
            server
            uploads .
        "#,
        blocks: &[
            changed(
                &[change(
                    "< roundtrip.tar.zst",
                    "< /roundtrip.tar.zst",
                    "this machine stands for `vault`, where the file is",
                )],
                "test \"$(psql --tuples-only --no-align --dbname new --command 'select count(*) from run')\" = 1; \
                 roundtrip-server serve --data-dir /srv/new; test \"$(runs here)\" = 1",
            ),
            POINT_IN_TIME,
            POINT_IN_TIME,
            POINT_IN_TIME,
            POINT_IN_TIME,
        ],
    },
    Page {
        path: "docs/how-to/containers.md",
        given: "",
        blocks: &[COMPOSE, COMPOSE, COMPOSE, COMPOSE, COMPOSE, COMPOSE, COMPOSE, COMPOSE, COMPOSE, COMPOSE],
    },
    Page {
        path: "docs/how-to/operate-the-server.md",
        given: r#"
            repository libfoo
            server
            uploads libfoo
            cp /srv/roundtrip/server/packaging/prometheus/rules.yml .
            echo 'global: { scrape_interval: 1s, evaluation_interval: 1s }' > prometheus.yml
            stands yaml 1 docs/how-to/operate-the-server.md >> prometheus.yml
        "#,
        blocks: &[
            typed("roundtrip-server prune; server --metrics 127.0.0.1:9979"),
            changed(
                &[change(
                    "prometheus --config",
                    "begins 'ready to receive' prometheus --config",
                    "it goes on until it is stopped",
                )],
                r#"
                uploads libfoo
                asks() { curl --silent --fail "http://127.0.0.1:9090/api/v1/$1" "${@:3}" | jq --exit-status "$2"; }
                until_ asks rules '[.data.groups[].rules[] | select(.health == "ok")] | length == 5'
                jq --raw-output '.panels[].targets[]?.expr' /srv/roundtrip/server/packaging/grafana/roundtrip.json |
                    sed 's/\$job/.+/g; s/\$__rate_interval/10s/g; s/ > 0$//' > queries
                test "$(wc -l < queries)" -gt 15
                while read -r query; do
                    until_ asks query '.data.result | length > 0' --get --data-urlencode "query=$query"
                done < queries
                ends
                "#,
            ),
            typed("curl --fail http://127.0.0.1:7979/readyz"),
            Block::Not("no PostgreSQL has Citus here"),
            Block::Not("no image has Citus here"),
            changed(
                &[change(
                    "--machines 5 --series 5000 --commits 2000",
                    "--machines 2 --series 10 --commits 20",
                    "less, in a second",
                )],
                "curl --silent http://127.0.0.1:7979/api/v1/projects | grep seeded",
            ),
        ],
    },
    Page {
        path: "docs/how-to/github-actions.md",
        given: r#"
            repository lib
            server
            uploads lib
        "#,
        blocks: &[
            typed(""),
            changed(
                &[change("gh api repos/octo/lib --jq '.id, .owner.id'", "", "GitHub cannot be reached")],
                "",
            ),
        ],
    },
    Page {
        path: "docs/how-to/github-app.md",
        given: r#"
            mkdir -p /etc/roundtrip
            openssl genrsa -traditional -out /etc/roundtrip/github-app.pem 2048
            openssl rand -hex 32 > /etc/roundtrip/github-webhook.secret
            repository libfoo
            server
            uploads libfoo
            cargo() { shift 4; github-fake "$@"; }
        "#,
        blocks: &[
            typed(""),
            Block::Not("it is about repositories of GitHub; the trial further below has the same"),
            changed(
                &[
                    change(
                        "webhooks &\n",
                        "webhooks &\nuntil_ test -s app.pem; unset ROUNDTRIP_GITHUB_APP_ID ROUNDTRIP_GITHUB_APP_KEY_FILE ROUNDTRIP_GITHUB_WEBHOOK_SECRET_FILE\n",
                        "who types takes longer than that; the variables are of another terminal",
                    ),
                    change(
                        "--github-webhook-secret-file webhook.secret &",
                        "--github-webhook-secret-file webhook.secret",
                        "who types takes longer than it takes to start",
                    ),
                    change(
                        "roundtrip-server github link",
                        "until_ command roundtrip-server github link",
                        "who types takes longer than what is told takes to be known",
                    ),
                    change(
                        "fake comments",
                        "pulled=$(date +%s); until_ sh -c \"test \\$(date +%s) -gt $((pulled + 1))\"; fake comments",
                        "what is said within the second of a push is refused, and who types takes longer",
                    ),
                ],
                "until_ sh -c \"curl -s '127.0.0.1:7980/_fake/comments?repository=acme/libfoo&number=7' | grep 'no machine works'\"",
            ),
        ],
    },
    Page {
        path: "docs/how-to/github-sign-in.md",
        given: "mkdir -p /etc/roundtrip; echo secret > /etc/roundtrip/github.secret",
        blocks: &[typed(""), typed("")],
    },
    Page { path: "docs/reference/access.md", given: "server", blocks: &[typed("grep -q ^rtu_ ada.token")] },
];
