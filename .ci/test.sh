#!/usr/bin/env bash
# Everything that must hold: format, types, lint, unit + golden + architecture tests, the build, the stories in Chromium.
# Each step runs even if one before it failed, except stories without a build; the last line counts tests.
set -uo pipefail
cd "$(dirname "$0")/.."
export CI="${CI:-1}"
passed=0
failed=0
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

step() {
  local name=$1
  shift
  echo
  echo "== $name"
  if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "== $name: FAILED"; return 1; fi
}

# count FILE PASSED FAILED: adds the numbers of a runner's JSON report.
count() {
  [ -s "$1" ] || return 0
  local numbers
  numbers=$(node -e '
    const report = JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8"));
    const stats = report.stats;
    if (stats) console.log(stats.expected + stats.flaky, stats.unexpected);
    else console.log(report.numPassedTests, report.numFailedTests);
  ' "$1") || return 0
  passed=$((passed + ${numbers% *}))
  failed=$((failed + ${numbers#* }))
}

find_chromium() {
  local candidate
  for candidate in "${CHROMIUM:-}" /usr/bin/chromium /usr/bin/chromium-browser /usr/bin/google-chrome; do
    if [ -n "$candidate" ] && [ -x "$candidate" ]; then echo "$candidate"; return 0; fi
  done
  return 1
}

chromium() {
  if CHROMIUM=$(find_chromium); then :
  else
    debian chromium || return 1
    CHROMIUM=$(find_chromium) || return 1
  fi
  export CHROMIUM
  echo "$CHROMIUM"
}

# debian PACKAGES...: installs them where root may, else says the command.
debian() {
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Installing Debian's $*."
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"
  else
    echo "Missing. Install with: sudo apt-get install -y $*"
    return 1
  fi
}

c_compiler() {
  command -v gcc >/dev/null || debian gcc libc6-dev || return 1
  gcc --version | head -n 1
}

# ONNX's own tests, from Debian's package; the last line tells how many pass, and fewer than the script's own mark fail the step.
onnx_tests() {
  [ -d /usr/share/libonnx-testdata/data/node ] || debian libonnx-testdata || return 1
  node dist/cli/onnx-suite.mjs
}

step "C compiler" c_compiler
step "format, types, lint" npm run -s check
step "unit, golden and architecture tests" npm run -s unit -- --reporter=default --reporter=json --outputFile="$results/unit.json"
count "$results/unit.json"
if step "build" npm run -s build; then
  step "ONNX backend tests" onnx_tests
  if step "chromium" chromium; then
    PLAYWRIGHT_JSON_OUTPUT_NAME="$results/e2e.json" step "stories in Chromium" npm run -s e2e -- --reporter=list,json
    count "$results/e2e.json"
  fi
fi

echo
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
