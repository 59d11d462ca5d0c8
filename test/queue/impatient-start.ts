import { startApi, startWork } from '../../src/commands/parts.ts'
import { run } from '../../src/commands/run.ts'

/** `voucher-service start` with a watch that waits for 10 s instead of 60 s. */
await run('worker', [startWork, startApi], { lookEveryMs: 1_000, looksUntilNotReady: 4, looksUntilStalled: 10 })
