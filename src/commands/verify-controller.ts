import type { Command } from 'commander'
import { findControllerRecord } from '#domain/controllers/controller-records.queries.ts'
import { CommandRefused } from '#domain/errors.ts'
import { startCallCounter } from '#drivers/verification/call-counter.ts'
import { verify } from '#drivers/verification/verify.ts'
import { confirm } from './confirm.ts'
import { describeVerification } from './describe-verification.ts'
import { print } from './output.ts'
import { serviceVersion } from './service-version.ts'
import { withControllers } from './with-controllers.ts'

type VerifyOptions = { site: string; yes?: true }

export function registerVerifyController(controllers: Command): void {
  controllers
    .command('verify')
    .description('make one voucher on a real controller, find it, delete it; prints a report without names and codes')
    .argument('<name>', 'as listed')
    .option('--site <id>', 'what the controller calls the site', 'default')
    .option('--yes', 'do not ask')
    .action(async (name: string, { site, yes }: VerifyOptions, command: Command) => {
      const shape = harmlessShape(new Date())
      const { driver, leftBehind, ...verification } = await withControllers(async ({ db, controllers }) => {
        const controller = await findControllerRecord(db, name)
        if (!controller) throw new CommandRefused(`No controller is called "${name}".`)
        if (controller.secret === null) throw new CommandRefused(`No credentials are stored for "${name}".`)
        if (!yes) await confirm(`This makes one voucher on "${name}", site "${site}", and deletes it again. Go on?`)
        const calls = startCallCounter()
        const verified = await verify(controllers.connectionOf(controller), { site, shape }, calls.count)
        calls.stop()
        return { driver: controller.driver, ...verified }
      })
      const report = { service: serviceVersion(), node: process.version, driver, ...verification }
      if (command.optsWithGlobals()['json']) print(command, report)
      else process.stdout.write(describeVerification(report))
      if (leftBehind)
        process.stderr.write(`A voucher "${shape.name}" may be left on the controller: delete it there.\n`)
      if (report.steps.some(({ result }) => result !== 'ok')) process.exitCode = 1
    })
}

/** One device, one minute, little data. Every limit is set, so that the report shows how each comes back. */
function harmlessShape(now: Date) {
  const name = `voucher-service verify ${now.toISOString().slice(0, 10)}`
  return { name, maxUses: 1, expireMinutes: 1, downKbps: 2_000, upKbps: 1_000, quotaMb: 5 }
}
