import { run } from '../../src/commands/service/run.ts'
import { startApi, startWork } from '../../src/commands/service/service.ts'
import { environment } from '../../src/config.ts'

/** Runs `voucher-service start`, but exits after 10 s without progress instead of 60 s. */
await run(environment, {
  role: 'worker',
  starts: [startWork, startApi],
  watchTimes: { checkEveryMs: 1_000, checksUntilNotReady: 4, checksUntilStalled: 10 },
})
