import { setMailSender } from '#domain/mail-server/mail-senders.ts'
import { setMailServer } from '#domain/mail-server/mail-server.ts'
import type { TestApp } from './app.ts'
import { testActor } from './data/seed.ts'
import { startMailServer, type TestMailServer } from './network/mail-server.ts'

/** A mail server without encryption, which the app uses for all sites. */
export async function setUpMail({ context }: Pick<TestApp, 'context'>): Promise<TestMailServer> {
  const mail = await startMailServer({ security: 'none' })
  await setMailServer(context, testActor, { host: '127.0.0.1', port: mail.port, security: 'none' })
  await setMailSender(context, testActor, null, { name: 'Adler', address: 'wlan@adler.example', replyTo: null })
  return mail
}
