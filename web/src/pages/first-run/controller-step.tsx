import { Anchor, Code, Group, Stack, Text } from '@mantine/core'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import type { Controller } from '../../../../client/voucher-api.generated.ts'
import { ConnectionTest, needsTrust } from '../../components/controller/connection-test.tsx'
import { ControllerForm } from '../../components/controller/controller-form.tsx'
import { useNewController } from '../../components/controller/use-new-controller.ts'
import { Notice } from '../../components/notice.tsx'
import { ErrorMessage } from '../../components/state-pages.tsx'
import { useReloadSetup } from '../../queries/setup.ts'
import classes from './first-run-frame.module.css'
import { Heading, NextButton } from './step-parts.tsx'

type Props = {
  controllers: Controller[]
  onDone: () => Promise<void>
  /** Goes on without another controller. */
  onNext: () => void
}

/** Connects a controller. Its name is the host of its address. */
export function ControllerStep({ controllers, onDone, onNext }: Props) {
  const { t } = useTranslation()
  const { form, test, ...controller } = useNewController({
    nameFor: (address) => nameFor(address, controllers),
    onAdded: onDone,
  })
  const reloadSetup = useReloadSetup()
  // Another tab may have connected the controller.
  useEffect(() => {
    if (controller.error) void reloadSetup()
  }, [controller.error])
  const [connected] = controllers
  return (
    <>
      <Heading title={t('setup.connect')} text={t('setup.connect-text')} />
      {connected && (
        <div className={classes.before}>
          <Notice
            tone="ok"
            action={
              <Anchor component="button" type="button" fz={13.5} fw={500} onClick={onNext}>
                {t('setup.continue-with')}
              </Anchor>
            }
          >
            {t('setup.connected', { controller: connected.name })}
          </Notice>
        </div>
      )}
      <div className={classes.columns}>
        <form noValidate onSubmit={form.onSubmit(controller.submit)}>
          <ControllerForm form={form} onLeave={controller.testNetwork} />
          {controller.error ? <ErrorMessage error={controller.error} /> : null}
          <Group gap="lg" mt={28}>
            <NextButton
              isSecond={needsTrust(test.check)}
              isLoading={controller.isBusy}
              label={t(controller.isWorking ? 'actions.continue' : 'setup.test')}
            />
          </Group>
        </form>
        <div ref={controller.result}>
          <ConnectionTest test={test} onRun={controller.testAgain} remedies={controller.remedies} />
        </div>
      </div>
      <Stack gap={6} mt={28} className={classes.narrow ?? ''}>
        <Text fz={13.5} c="dimmed">
          {t('setup.no-controller')} {t('setup.simulator')}
        </Text>
        <Code block>./bin/voucher-service.js simulator --https</Code>
      </Stack>
    </>
  )
}

/** The host of the address, with a number if another controller has this name. */
function nameFor(address: string, controllers: Controller[]): string {
  const { hostname } = new URL(address)
  const isTaken = (name: string) => controllers.some((controller) => controller.name === name)
  for (let number = 1; ; number++) {
    const name = number === 1 ? hostname : `${hostname} (${number})`
    if (!isTaken(name)) return name
  }
}
