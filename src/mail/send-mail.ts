import { type Mail, type MailAnswer, MailFailure, type MailServer } from './mail.ts'
import { maskAnswer } from './mask-answer.ts'
import { prepareMail } from './prepare-mail.ts'
import { type MailOptions, SmtpSession } from './smtp-session.ts'

/**
 * Hands one message to the mail server, with a connection of its own. Sends nothing, neither the message nor the password, unless the
 * connection is encrypted as the settings say. Resolves within `totalMs`, by default 30 seconds. `stopping` ends it at once, or soon if
 * the server may already have the message. `isStillWanted` is asked when the server is ready for the message, which can take half a minute.
 */
export async function sendMail(
  server: MailServer,
  mail: Mail,
  {
    stopping = neverStopping,
    isStillWanted = async () => true,
    ...options
  }: MailOptions & { stopping?: AbortSignal; isStillWanted?: () => Promise<boolean> },
): Promise<MailAnswer> {
  const session = new SmtpSession(server, options)
  try {
    const answer = await withinTime(handOver(session, mail, { stopping, isStillWanted }), session.timeouts.totalMs)
    session.quit()
    if (answer === undefined) return { outcome: 'withheld' }
    return { outcome: 'accepted', answer: maskAnswer(answer, server, mail) }
  } catch (error) {
    session.close()
    if (!(error instanceof MailFailure)) throw error
    const answer = error.answer === null ? null : maskAnswer(error.answer, server, mail)
    if (error.reason === 'message_rejected') return { outcome: 'rejected', answer: answer ?? '' }
    return { outcome: 'failed', reason: error.reason, answer }
  }
}

const neverStopping = new AbortController().signal
/** How long a stopping process waits for the answer to a message. Without the answer, the message is sent again. */
const answerWhenStoppingMs = 10_000

/** Undefined if the message is not wanted any more. */
async function handOver(
  session: SmtpSession,
  mail: Mail,
  { stopping, isStillWanted }: { stopping: AbortSignal; isStillWanted: () => Promise<boolean> },
): Promise<string | undefined> {
  const prepared = await prepareMail(mail)
  await untilStopping(openSession(session), stopping, 0)
  if (!(await isStillWanted())) return undefined
  return untilStopping(session.send(prepared), stopping, answerWhenStoppingMs)
}

async function openSession(session: SmtpSession): Promise<void> {
  await session.resolveName()
  await session.connect()
  await session.encrypt()
  await session.signIn()
}

/** Throws when the process has been stopping for `ms`. */
async function untilStopping<T>(work: Promise<T>, stopping: AbortSignal, ms: number): Promise<T> {
  work.catch(() => {})
  const stopped = Promise.withResolvers<never>()
  let timer: NodeJS.Timeout | undefined
  const onStop = () => {
    timer = setTimeout(() => stopped.reject(new MailFailure('connection_lost')), ms)
  }
  if (stopping.aborted) onStop()
  else stopping.addEventListener('abort', onStop)
  return Promise.race([work, stopped.promise]).finally(() => {
    clearTimeout(timer)
    stopping.removeEventListener('abort', onStop)
  })
}

/** Throws `no_answer` if the work takes longer. The caller then closes the session, which ends the work. */
export async function withinTime<T>(work: Promise<T>, ms: number): Promise<T> {
  work.catch(() => {}) // it may fail after the time is over
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new MailFailure('no_answer')), ms)
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer))
}
