import { startSimulator } from '#test/network/simulator.ts'
import { driverSuite } from '../driver.suite.ts'
import { unifiClassic } from './driver.ts'

const sites = ['--site', 'default=Default', '--site', 'branch=Branch', '--site', 'empty=Empty', '--login-limit', '0']

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
