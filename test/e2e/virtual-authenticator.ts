import type { CDPSession, Page } from 'playwright-core'

type Credential = { credentialId: string; signCount: number }

export type VirtualAuthenticator = {
  /** Sets the counters of all its passkeys, as if they were restored from an old copy. */
  setCounters(count: number): Promise<void>
}

/** Gives the browser a device for passkeys. The person is always present, and always recognised. */
export async function addVirtualAuthenticator(page: Page): Promise<VirtualAuthenticator> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return { setCounters: (count) => setCounters(devtools, authenticatorId, count) }
}

async function setCounters(devtools: CDPSession, authenticatorId: string, signCount: number): Promise<void> {
  const { credentials } = await devtools.send('WebAuthn.getCredentials', { authenticatorId })
  for (const credential of credentials as (Credential & Parameters<typeof devtools.send>[1] & object)[]) {
    await devtools.send('WebAuthn.removeCredential', { authenticatorId, credentialId: credential.credentialId })
    await devtools.send('WebAuthn.addCredential', {
      authenticatorId,
      credential: { ...credential, signCount } as never,
    })
  }
}
