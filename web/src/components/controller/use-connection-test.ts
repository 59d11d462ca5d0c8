import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { ControllerCheck, ControllerToCheck } from '../../../../client/voucher-api.generated.ts'
import { checkController } from '../../queries/controllers.ts'

/** The driver and credentials that people choose from. */
export const driverKinds = { 'unifi-integration': 'api-key', 'unifi-classic': 'login' } as const

export type DriverName = keyof typeof driverKinds

export type ConnectionTestState = {
  /** The last result, even while the next test runs. Undefined before the first one. */
  check: ControllerCheck | undefined
  isRunning: boolean
  /** Why the service could not test at all. */
  error: unknown
  run(target: ControllerToCheck): void
}

/**
 * Tests a controller. For a new controller with credentials it first tests the network alone, so that the person sees these
 * results while the sign-in is tried. `onDone` gets the result of the newest test and the values that were tested.
 */
export function useConnectionTest(
  onDone?: (check: ControllerCheck, target: ControllerToCheck) => void,
): ConnectionTestState {
  const [check, setCheck] = useState<ControllerCheck>()
  const latest = useRef(0)
  const test = useMutation({
    ...checkController((network, run) => {
      if (run === latest.current) setCheck(network)
    }),
    onSuccess: (result, { target, run }) => {
      if (run !== latest.current) return // a newer test has begun
      setCheck(result)
      onDone?.(result, target)
    },
    onError: (_, { run }) => {
      if (run === latest.current) setCheck(undefined)
    },
  })
  return {
    check,
    isRunning: test.isPending,
    error: test.error,
    run: (target) => {
      latest.current += 1
      test.mutate({ target, run: latest.current })
    },
  }
}
