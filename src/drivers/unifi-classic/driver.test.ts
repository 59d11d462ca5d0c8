import { startSimulator } from '#test/network/simulator.ts'
import { driverSuite } from '../driver.suite.ts'
import { unifiClassic } from './driver.ts'

const siteNames = ['default=Default', 'branch=Branch', 'many=Many', 'empty=Empty']
const sites = [...siteNames.flatMap((site) => ['--site', site]), '--login-limit', '0']

for (const flavour of ['console', 'self-hosted']) {
  const simulator = await startSimulator('--https', '--flavour', flavour, ...sites)
  driverSuite(`unifi-classic on ${flavour}`, {
    driver: unifiClassic,
    simulator,
    credentials: simulator.login,
    wrongCredentials: { username: 'api', password: 'wrong' },
    namesGuests: true,
    version: '10.3.55',
    createFaults: { unauthorized: 'made' },
  })
}
