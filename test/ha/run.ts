import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

/**
 * `npm run test:ha` runs a cluster of Patroni through everything that may happen to it, and restores a database to a minute with
 * pgBackRest. `-- --scenario 'leader lost' --way 'several hosts' --rounds 1` or `-- --scenario pgBackRest` runs a part of it. It needs
 * root, for networks of its own, and these packages.
 */
const packagesOf = {
  patroni: ['etcd-server', 'patroni', 'haproxy', 'postgresql-15', 'python3-psycopg2', 'iproute2'],
  pgbackrest: ['pgbackrest', 'postgresql-15', 'openssl', 'iproute2'],
}
const { values } = parseArgs({
  options: { scenario: { type: 'string' }, way: { type: 'string' }, rounds: { type: 'string' } },
})

const { scenario = '', way = '', rounds = '' } = values
const parts = (['patroni', 'pgbackrest'] as const).filter(
  (part) => scenario === '' || (scenario === 'pgBackRest') === (part === 'pgbackrest'),
)
const packages = [...new Set(parts.flatMap((part) => packagesOf[part]))]
const missing = packages.filter((name) => spawnSync('dpkg', ['--status', name]).status !== 0)
if (missing.length > 0 || process.getuid?.() !== 0) {
  process.stderr.write(
    `Run this as root, on a Debian with the packages: ${packages.join(' ')}. So that they start no services:\n` +
      `printf '#!/bin/sh\\nexit 101\\n' >/usr/sbin/policy-rc.d && chmod +x /usr/sbin/policy-rc.d\n` +
      `apt-get install --no-install-recommends ${missing.join(' ')}\nrm /usr/sbin/policy-rc.d\n`,
  )
  process.exit(1)
}
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url))
const { status } = spawnSync(process.execPath, [vitest, 'run', ...parts.map((part) => `test/ha/long/${part}`)], {
  stdio: 'inherit',
  env: { ...process.env, TEST_SIZE: 'long', HA_SCENARIO: scenario, HA_WAY: way, HA_ROUNDS: rounds },
})
process.exitCode = status ?? 1
