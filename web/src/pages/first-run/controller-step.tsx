import { Code, Group, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Controller } from '../../../../client/voucher-api.generated.ts'
import { ConnectionTest, needsTrust } from '../../components/controller/connection-test.tsx'
import { ControllerForm } from '../../components/controller/controller-form.tsx'
import { useNewController } from '../../components/controller/use-new-controller.ts'
import { ErrorMessage } from '../../components/state-pages.tsx'
import classes from './first-run-frame.module.css'
import { Heading, NextButton } from './step-parts.tsx'

type Props = { controllers: Controller[]; onDone: () => Promise<void> }

/** Connects a controller. Its name is the host of its address. */
export function ControllerStep({ controllers, onDone }: Props) {
  const { t } = useTranslation()
  const { form, test, ...controller } = useNewController({
    nameFor: (address) => nameFor(address, controllers),
    onAdded: onDone,
  })
  return (
    <>
      <Heading title={t('setup.connect')} text={t('setup.connect-text')} />
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
