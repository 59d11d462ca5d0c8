import { Button, Group, Select, Skeleton, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Controller } from '../../../../client/voucher-api.generated.ts'
import { ConnectionTest } from '../../components/controller/connection-test.tsx'
import { ControllerForm } from '../../components/controller/controller-form.tsx'
import { useNewController } from '../../components/controller/use-new-controller.ts'
import { PageTitle } from '../../components/page-title.tsx'
import { Panel } from '../../components/panel.tsx'
import { ErrorMessage } from '../../components/state-pages.tsx'
import { addTexts } from '../../i18n/i18n.ts'
import { controllersQuery } from '../../queries/controllers.ts'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import { OfferedSites } from './offered-sites.tsx'
import { BackLink } from './site-page.tsx'
import classes from './sites.module.css'

addTexts({ de, en })

const other = 'new'

/** Adds sites of a controller that is known already, or of a new one. */
export function AddPage() {
  const { t } = useTranslation()
  const [chosen, setChosen] = useState<string | null>(null)
  const { data, error, refetch } = useQuery(controllersQuery)
  const isNew = data?.length === 0 || chosen === other
  return (
    <>
      <BackLink />
      <PageTitle title={t('sites-page.add-title')} />
      {error && !data && <ErrorMessage error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton h={120} radius="lg" maw={560} />}
      {data && data.length > 0 && (
        <Select
          label={t('sites-page.which-controller')}
          placeholder={t('sites-page.choose-controller')}
          maw={440}
          mb={20}
          searchable
          nothingFoundMessage={t('sites-page.no-controller')}
          limit={100}
          data={[
            { value: other, label: t('sites-page.new-controller') },
            ...data.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          value={chosen}
          onChange={setChosen}
        />
      )}
      {data && isNew && (
        <NewController
          onAdded={async (controller) => {
            await refetch()
            setChosen(controller.id)
          }}
        />
      )}
      {chosen !== null && !isNew && (
        <Stack maw={640}>
          <OfferedSites key={chosen} controllerId={chosen} isPrimary />
        </Stack>
      )}
    </>
  )
}

function NewController({ onAdded }: { onAdded: (controller: Controller) => Promise<void> }) {
  const { t } = useTranslation()
  const name = useForm({
    initialValues: { name: '' },
    validate: { name: (value) => (value.trim() === '' ? t('sites-page.name-missing') : null) },
  })
  const { form, test, ...controller } = useNewController({
    nameFor: () => name.values.name.trim(),
    onAdded,
  })
  const submit = () => {
    const isValid = [name.validate(), form.validate()].every(({ hasErrors }) => !hasErrors)
    if (isValid) controller.submit(form.values)
  }
  return (
    <div className={classes.detail}>
      <Panel title={t('sites-page.new-controller')}>
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            submit()
          }}
        >
          <Stack gap="md">
            <TextInput
              label={t('sites-page.name')}
              description={t('sites-page.controller-name-what')}
              {...name.getInputProps('name')}
            />
            <ControllerForm form={form} onLeave={controller.testNetwork} />
            {controller.error ? <ErrorMessage error={controller.error} /> : null}
            <Group>
              <Button type="submit" loading={controller.isBusy}>
                {t(controller.isWorking ? 'sites-page.add-controller' : 'sites-page.test-controller')}
              </Button>
            </Group>
          </Stack>
        </form>
      </Panel>
      <div ref={controller.result}>
        <ConnectionTest test={test} onRun={controller.testAgain} remedies={controller.remedies} />
      </div>
    </div>
  )
}
