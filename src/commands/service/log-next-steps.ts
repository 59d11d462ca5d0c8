import { existsSync } from 'node:fs'
import { BlockList, isIP } from 'node:net'
import { join } from 'node:path'
import { openSetup } from '#domain/people/setup.ts'
import { hasAdministrator } from '#domain/people/staff.queries.ts'
import { builtWeb } from '#http/web.ts'
import type { Context } from '../../context.ts'

type Started = Pick<Context, 'db' | 'log' | 'keyring' | 'config'>

/** Logs where people open the web app and, until there is an administrator, how to create the first one. */
export async function logNextSteps(ctx: Started, port: number): Promise<void> {
  const { publicUrl, listenAddress } = ctx.config
  const { log } = ctx
  const url = publicUrl ?? `http://localhost:${port}`
  if (existsSync(join(builtWeb, 'index.html'))) log.info(`the web app is at ${url}`)
  else log.warn('the web app is not built: run `npm run build:web`, then restart the api')
  if (publicUrl === undefined && !isThisMachineOnly(listenAddress))
    log.info('PUBLIC_URL is not set: set it to the address that people open, and TRUSTED_PROXIES to that of your proxy')
  await logSetup(ctx, `${url}/first-run`)
}

/**
 * The setup token is the only secret that the log may contain: it expires after a day, or when the first administrator is
 * created.
 */
async function logSetup({ db, log, keyring, config }: Started, page: string): Promise<void> {
  const given = config.setupToken
  try {
    const setup = await openSetup(db, { keyring, given })
    if (setup && given !== undefined)
      return log.warn(`there is no administrator yet: open ${page} and enter SETUP_TOKEN`)
    if (setup)
      return log.warn(
        { setupToken: setup.token, validUntil: setup.expiresAt },
        `there is no administrator yet: open ${page} and enter the setup token ${setup.token}`,
      )
    if (!(await hasAdministrator(db)))
      log.warn(
        'there is no administrator yet, and a process with another SETUP_TOKEN or other ENCRYPTION_KEYS made the setup token: use the token of that process, or run `voucher-service staff add --role admin`',
      )
  } catch (err) {
    log.error({ err }, 'the setup token could not be made; restart the api when the database accepts writes')
  }
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8)
loopback.addAddress('::1', 'ipv6')

function isThisMachineOnly(address: string): boolean {
  if (isIP(address) === 0) return address === 'localhost'
  return loopback.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}
