# `.github/release/finish.sh` fills in the version and checksums. Copy this file from a release into your tap.
class Roundtrip < Formula
  desc "Continuous performance tracking for inter-process communication"
  homepage "https://github.com/roundtrip-ipc/roundtrip"
  version "{{version}}"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    url "https://github.com/roundtrip-ipc/roundtrip/releases/download/v{{version}}/roundtrip-{{version}}-universal-apple-darwin.tar.gz"
    sha256 "{{sha256 universal-apple-darwin}}"
  end

  on_linux do
    on_intel do
      url "https://github.com/roundtrip-ipc/roundtrip/releases/download/v{{version}}/roundtrip-{{version}}-x86_64-unknown-linux-musl.tar.gz"
      sha256 "{{sha256 x86_64-unknown-linux-musl}}"
    end
    on_arm do
      url "https://github.com/roundtrip-ipc/roundtrip/releases/download/v{{version}}/roundtrip-{{version}}-aarch64-unknown-linux-musl.tar.gz"
      sha256 "{{sha256 aarch64-unknown-linux-musl}}"
    end
  end

  def install
    bin.install "roundtrip"
  end

  test do
    assert_equal "roundtrip #{version}", shell_output("#{bin}/roundtrip --version").strip
  end
end
