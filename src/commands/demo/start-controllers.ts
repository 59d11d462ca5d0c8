import type { Credentials } from '#drivers/driver.ts'
import type { Running } from '../stop-on-signal.ts'
import { type RunningSimulator, startSimulator } from './start-simulator.ts'

/** One of the ways to speak to a controller. */
export type DemoController = {
  kind: 'console-api-key' | 'console-login' | 'self-hosted-login'
  about: string
  name: string
  driver: string
  credentials: Credentials
  simulator: RunningSimulator
}

/** What the controllers call the sites of the demo. */
export const siteReferences = ['main', 'annex', 'seminar', 'works']

/** All kinds there are, on two simulators: a console can be spoken to in two ways. */
export async function startControllers(running: Running): Promise<DemoController[]> {
  const sites = siteReferences.flatMap((site) => ['--site', `${site}=${site}`])
  const start = async (...options: string[]) => {
    const simulator = await startSimulator(...options, ...sites)
    await running.add(simulator)
    return simulator
  }
  const [console, selfHosted] = await Promise.all([start(), start('--flavour', 'self-hosted')])
  return [
    {
      kind: 'console-api-key',
      about: 'a console, with an API key',
      name: 'Konsole',
      driver: 'unifi-integration',
      credentials: { apiKey: console.apiKey },
      simulator: console,
    },
    {
      kind: 'console-login',
      about: 'the same console, with user name and password',
      name: 'Konsole mit Anmeldung',
      driver: 'unifi-classic',
      credentials: console.login,
      simulator: console,
    },
    {
      kind: 'self-hosted-login',
      about: 'a self-hosted application, with user name and password',
      name: 'Eigener Server',
      driver: 'unifi-classic',
      credentials: selfHosted.login,
      simulator: selfHosted,
    },
  ]
}
