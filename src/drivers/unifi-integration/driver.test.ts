import { startSimulator } from '#test/network/simulator.ts'
import { driverSuite } from '../driver.suite.ts'
import { unifiIntegration } from './driver.ts'

const siteNames = ['default=Default', 'branch=Branch', 'many=Many', 'empty=Empty']
const sites = siteNames.flatMap((site) => ['--site', site])
const connectorPath = '/v1/connector/consoles/AB12'

for (const [where, path, options] of [
  ['on a console', '', []],
  ['behind the cloud connector', connectorPath, ['--path-prefix', connectorPath]],
] as const) {
  const simulator = await startSimulator('--https', ...options, ...sites)
  driverSuite(`unifi-integration ${where}`, {
    driver: unifiIntegration,
    simulator: { ...simulator, url: simulator.url + path },
    credentials: { apiKey: simulator.apiKey },
    wrongCredentials: { apiKey: 'wrong' },
    namesGuests: false,
    version: '10.3.55',
    createFaults: {
      empty: 'nothing found',
      'no-code': 'nothing found',
      'bad-code': 'nothing found',
      deep: 'nothing found',
    },
  })
}
