//! Who keeps agents running.

use super::super::page::{Page, change, changed, glance, typed};

pub(super) const PAGES: &[Page] = &[
    Page {
        path: "docs/how-to/lab.md",
        given: r#"
            far_server
            code() { curl --silent --fail --json "${1:-{\}}" --header "authorization: Bearer $(cat admin.token)" \
                https://roundtrip.example.org/api/v1/enrolments | jq --raw-output .code; }
            mkdir -p /srv/releases ~/roundtrip/target/release
            cp /usr/local/bin/roundtrip ~/roundtrip/target/release/
        "#,
        blocks: &[
            typed("curl --silent --fail https://roundtrip.example.org/api/v1/projects | grep libfoo"),
            changed(
                &[change(
                    "sudo roundtrip enrol --server",
                    "code > code; sudo roundtrip enrol --code-file code --server",
                    "nobody is here to type the code",
                )],
                "until_ sh -c 'roundtrip service status | grep running'",
            ),
            changed(
                &[
                    change(
                        "minisign -G",
                        "roundtrip service uninstall; rm -r /var/lib/roundtrip-lab; code '{\"machine\": \"vm\"}' > code; minisign -G -W",
                        "a key without a password, which nobody is here to type; the machine above is let in again",
                    ),
                    change(
                        "sudo roundtrip enrol --server",
                        "sudo roundtrip enrol --code-file code --server",
                        "nobody is here to type the code",
                    ),
                ],
                "cp roundtrip.key /srv/releases/",
            ),
            changed(
                &[change("minisign -S", "minisign -S -W", "the key has no password here")],
                "minisign -V -H -p ~/here/roundtrip.pub -m manifest.json; jq --exit-status .version manifest.json",
            ),
        ],
    },
    Page {
        path: "docs/how-to/service.md",
        given: r#"
            far_server
            mkdir -p ~/src /etc/roundtrip
            repository ~/src/lib
            cp -r ~/src/lib /srv/lib
            cp agent.token /etc/roundtrip/
        "#,
        blocks: &[
            changed(&[glance("roundtrip agent")], ""),
            changed(
                &[change(
                    "roundtrip service status",
                    "roundtrip service status | grep running; until_ sh -c 'journalctl --unit roundtrip-agent | grep -i measur'; roundtrip service status",
                    "it has begun to measure before it is removed",
                )],
                "! systemctl is-active roundtrip-agent",
            ),
        ],
    },
];
