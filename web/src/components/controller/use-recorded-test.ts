import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { ControllerToCheck } from '../../../../client/voucher-api.generated.ts'
import { api } from '../../api.ts'
import type { Remedies } from './remedies.tsx'
import { type ConnectionTestState, useConnectionTest } from './use-connection-test.ts'

type Options = {
  controllerId: string
  /** The site to test. Without it, the first site of the account. */
  controllerSite?: string
  /** The recorded fingerprint. It is shown beside a new one. */
  pinned?: string | null
  /** Called after new credentials were stored. A new address or certificate is stored together with them. */
  onSaved?: () => void
}

/** The values that the controller accepted in a test. Nothing else is stored. */
type Tested = ControllerToCheck & { secret: string }

type RecordedTest = {
  test: Pick<ConnectionTestState, 'check' | 'isRunning' | 'error'>
  run(): void
  remedies: Remedies
}

/**
 * Tests a recorded controller. The service erases the stored credentials when the certificate or the address changes.
 * So such a change is stored only together with new credentials that the controller has accepted there.
 */
export function useRecordedTest({ controllerId, controllerSite, pinned = null, onSaved }: Options): RecordedTest {
  const [changes, setChanges] = useState<{ address?: string; certificate_pin?: string }>({})
  const save = useMutation({
    mutationFn: ({ address, certificate_pin, secret }: Tested) =>
      api.updateController(controllerId, {
        ...(address !== undefined && { address }),
        ...(certificate_pin !== undefined && { certificate_pin }),
        secret,
      }),
    onSuccess: () => {
      setChanges({})
      onSaved?.()
    },
  })
  const test = useConnectionTest((check, { secret, ...target }) => {
    const isAccepted = check.layers.some(({ layer, result }) => layer === 'sign_in' && result === 'ok')
    if (secret !== undefined && isAccepted) save.mutate({ ...target, secret })
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
