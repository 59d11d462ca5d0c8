import { Anchor, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Redirect } from '../../components/redirect.tsx'
import { ErrorMessage, LoadingPage } from '../../components/state-pages.tsx'
import type { Creation } from '../desk/creation.ts'
import { useDesk } from '../desk/desk-data.ts'
import { ControllerStep } from './controller-step.tsx'
import { FirstRunFrame } from './first-run-frame.tsx'
import { openStep, type SetupStep, setupQuery, setupSteps, useSetupChanged } from './setup-state.ts'
import { SitesStep } from './sites-step.tsx'
import { SlipStep } from './slip-step.tsx'
import { VoucherStep } from './voucher-step.tsx'

/** The steps before these: token and administrator. */
const stepsBefore = 2

/** The steps after the administrator. The first one that is not done is open, unless the person chose another one. */
export function SetupSteps({ steps }: { steps: string[] }) {
  const { t } = useTranslation()
  const { data: state, error, refetch } = useQuery(setupQuery)
  const [chosen, setChosen] = useState<SetupStep>()
  const { store, creation } = useFirstCreation(state?.guestInfo?.site_id)
  const changed = useSetupChanged()
  const done = async () => {
    await changed()
    setChosen(undefined)
  }
  if (!state && !error) return <LoadingPage />
  const isCreating = creation !== undefined && creation.status.kind !== 'none'
  const step = chosen ?? (state && openStep(state, isCreating))
  if (state && step === undefined) return <Redirect to={state.hasVoucher ? '/desk' : '/sites'} />
  const foot = (
    <Stack gap={8} align="flex-start">
      {!isCreating && <Text fz={13}>{t('setup.leave')}</Text>}
      <Anchor component={Link} to="/desk" fz={13}>
        {t('setup.to-desk-now')}
      </Anchor>
    </Stack>
  )
  return (
    <FirstRunFrame
      step={stepsBefore + setupSteps.indexOf(step ?? 'controller')}
      steps={steps}
      foot={creation?.status.kind === 'made' ? undefined : foot}
    >
      {state ? (
        <>
          {step === 'controller' && <ControllerStep controllers={state.controllers} onDone={done} />}
          {step === 'sites' && (
            <SitesStep
              key={state.controllers[0]?.id}
              controllers={state.controllers}
              onDone={done}
              onOtherController={() => setChosen('controller')}
            />
          )}
          {step === 'slip' && <SlipStep state={state} onDone={() => setChosen('voucher')} />}
          {step === 'voucher' && <VoucherStep state={state} store={store} creation={creation} />}
        </>
      ) : (
        <ErrorMessage error={error} onRetry={() => void refetch()} />
      )}
    </FirstRunFrame>
  )
}

/**
 * The creation of the first voucher, by the store of the desk. A voucher that existed when the page was opened is not shown, and
 * one that was created since stays until the page is left.
 */
function useFirstCreation(siteId: number | undefined) {
  const { store, desk } = useDesk()
  const [creation, setCreation] = useState<Creation>()
  const all = desk.current ? [desk.current, ...desk.aside] : desk.aside
  const found = all.find(({ request }) => request.site_id === siteId)
  if (found && found !== creation && (creation || found.status.kind !== 'made')) setCreation(found)
  return { store, creation }
}
