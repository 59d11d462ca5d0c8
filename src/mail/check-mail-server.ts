import type { CheckedCertificate } from '#lib/certificate.ts'
import { type Mail, type MailCause, MailFailure, type MailServer } from './mail.ts'
import { maskAnswer } from './mask-answer.ts'
import { type PreparedMail, prepareMail } from './prepare-mail.ts'
import { withinTime } from './send-mail.ts'
import { type MailOptions, SmtpSession } from './smtp-session.ts'

export const mailLines = ['name', 'connection', 'encryption', 'sign_in', 'message'] as const

export type MailLine = (typeof mailLines)[number]

/** `answer` is the server's own sentence, masked. `cause` says why a line failed or was skipped. */
type CheckedMailLine<Cause> = {
  line: MailLine
  result: 'ok' | 'failed' | 'skipped'
  durationMs: number | null
  cause: Cause | null
  answer: string | null
}

export type MailServerCheck<Cause> = {
  lines: CheckedMailLine<Cause>[]
  addresses: string[]
  /** The version of TLS; null if the connection is not encrypted. */
  protocol: string | null
  /** The certificate that the server showed, also if it was not accepted. */
  certificate: CheckedCertificate | null
}

/**
 * Tests a mail server line by line, with the steps of `sendMail`. Stops at the first line that fails. `withheld` says why no password
 * may be sent; then the sign-in and the message are skipped.
 */
export async function checkMailServer<Cause>(
  server: MailServer,
  mail: Mail,
  { withheld, ...options }: MailOptions & { withheld?: Cause | undefined },
): Promise<MailServerCheck<Cause | MailCause>> {
  const session = new SmtpSession(server, options)
  const deadline = performance.now() + session.timeouts.totalMs
  const checked: CheckedMailLine<Cause | MailCause>[] = []
  const found = { addresses: [] as string[], protocol: null as string | null }
  let prepared: PreparedMail | undefined
  const steps: Record<MailLine, () => Promise<string | null>> = {
    name: async () => {
      prepared = await prepareMail(mail)
      found.addresses = await session.resolveName()
      return null
    },
    connection: () => session.connect(),
    encryption: async () => {
      found.protocol = await session.encrypt()
      return null
    },
    sign_in: () => session.signIn(),
    message: () => session.send(prepared as PreparedMail),
  }
  for (const line of mailLines) {
    const isOver = checked.some(({ result, cause }) => result === 'failed' || cause !== null)
    if (isOver || (line === 'sign_in' && withheld !== undefined)) {
      checked.push({
        line,
        result: 'skipped',
        durationMs: null,
        cause: isOver ? null : (withheld ?? null),
        answer: null,
      })
      continue
    }
    const startedAt = performance.now()
    const outcome = await run(steps[line], deadline)
    const { answer } = outcome
    const durationMs = Math.round(performance.now() - startedAt)
    checked.push({ line, ...outcome, durationMs, answer: answer && maskAnswer(answer, server, mail) })
  }
  if (checked.every(({ result }) => result === 'ok')) session.quit()
  else session.close()
  return { lines: checked, ...found, certificate: session.certificate ?? null }
}

type Outcome = { result: 'ok' | 'failed'; cause: MailCause | null; answer: string | null }

async function run(step: () => Promise<string | null>, deadline: number): Promise<Outcome> {
  try {
    return { result: 'ok', cause: null, answer: await withinTime(step(), Math.max(0, deadline - performance.now())) }
  } catch (error) {
    if (!(error instanceof MailFailure)) throw error
    return { result: 'failed', cause: error.reason, answer: error.answer }
  }
}
