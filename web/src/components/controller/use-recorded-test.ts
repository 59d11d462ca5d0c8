import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { updateController } from '../../queries/controllers.ts'
import type { Remedies } from './remedies.tsx'
import { type ConnectionTestState, useConnectionTest } from './use-connection-test.ts'

type Options = {
  controllerId: string
  /** The site to test. Without it, the first site of the account. */
  controllerSite?: string
  /** The recorded fingerprint. It is shown beside a new one. */
  pinned?: string | null
}

type RecordedTest = {
  test: Pick<ConnectionTestState, 'check' | 'isRunning' | 'error'>
  run(): void
  remedies: Remedies
}

/**
 * Tests a recorded controller. The service erases the stored credentials when the certificate or the address changes.
 * So such a change is stored only together with new credentials that the controller has accepted there.
 */
export function useRecordedTest({ controllerId, controllerSite, pinned = null }: Options): RecordedTest {
  const [changes, setChanges] = useState<{ address?: string; certificate_pin?: string }>({})
  const save = useMutation({
    ...updateController(controllerId),
    onSuccess: () => setChanges({}),
  })
  // Only values that the controller accepted are stored.
  const test = useConnectionTest((check, { secret, address, certificate_pin }) => {
    const isAccepted = check.layers.some(({ layer, result }) => layer === 'sign_in' && result === 'ok')
    if (secret === undefined || !isAccepted) return
    save.mutate({
      ...(address !== undefined && { address }),
      ...(certificate_pin !== undefined && { certificate_pin }),
      secret,
    })
  })
  const run = (more: typeof changes & { secret?: string } = {}) => {
    save.reset()
    test.run({
      controller_id: controllerId,
      ...changes,
      ...more,
      ...(controllerSite !== undefined && { controller_site: controllerSite }),
    })
  }
  const change = (next: typeof changes) => {
    setChanges({ ...changes, ...next })
    run(next)
  }
  return {
    test: { check: test.check, isRunning: test.isRunning || save.isPending, error: test.error ?? save.error },
    run: () => run(),
    remedies: {
      pinned,
      trust: (fingerprint) => change({ certificate_pin: fingerprint }),
      address: (address) => change({ address }),
      secret: {
        isSaved: true,
        submit: (secret) => run({ secret }),
      },
    },
  }
}
