import { startApi, startWork } from '../../src/commands/parts.ts'
import { run } from '../../src/commands/run.ts'

/** Runs `voucher-service start`, but exits after 10 s without progress instead of 60 s. */
await run('worker', [startWork, startApi], { lookEveryMs: 1_000, looksUntilNotReady: 4, looksUntilStalled: 10 })
