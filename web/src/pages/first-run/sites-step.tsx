import { Anchor, Checkbox, Group, Loader, ScrollArea, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Controller, ControllerSite } from '../../../../client/voucher-api.generated.ts'
import { api } from '../../api.ts'
import { ConnectionTest } from '../../components/controller/connection-test.tsx'
import { useRecordedTest } from '../../components/controller/use-recorded-test.ts'
import { ErrorMessage } from '../../components/state-pages.tsx'
import classes from './first-run-frame.module.css'
import { Heading, NextButton } from './step-parts.tsx'

type Props = { controllers: Controller[]; onDone: () => Promise<void>; onOtherController: () => void }

/** Adds the sites that the newest controller has. If it does not answer, the test shows why and how to fix it. */
export function SitesStep({ controllers, onDone, onOtherController }: Props) {
  const { t } = useTranslation()
  const controller = controllers[0] as Controller
  const { test, run, remedies } = useRecordedTest({ controllerId: controller.id })
  // Once, when the step opens.
  useEffect(run, [])
  const sites = test.check?.sites
  const hasFailed = !test.isRunning && (test.error || (test.check && !sites))
  const text = sites ? 'setup.sites-text' : hasFailed ? 'setup.sites-failed' : 'setup.sites-wait'
  return (
    <>
      <Heading title={t('setup.find-sites')} text={t(text, { controller: controller.name })} />
      {sites && <SiteChoice controller={controller} sites={sites} onDone={onDone} />}
      {hasFailed && (
        <div className={classes.narrow}>
          <ConnectionTest test={test} onRun={run} remedies={remedies} />
        </div>
      )}
      {!sites && !hasFailed && <Loader size="sm" />}
      <Anchor component="button" type="button" mt={28} fz={13.5} onClick={onOtherController}>
        {t('setup.other-controller')}
      </Anchor>
    </>
  )
}

/** A search field appears if there are more sites than this. */
const sitesWithoutSearch = 12
/** The service adds at most this many with one request. */
const sitesAtOnce = 500

type ChoiceProps = { controller: Controller; sites: ControllerSite[]; onDone: () => Promise<void> }

function SiteChoice({ controller, sites, onDone }: ChoiceProps) {
  const { t } = useTranslation()
  const [chosen, setChosen] = useState(() => sites.map(({ controller_site }) => controller_site))
  const [search, setSearch] = useState('')
  const [isMissing, setIsMissing] = useState(false)
  const add = useMutation({
    mutationFn: async () => {
      for (let start = 0; start < chosen.length; start += sitesAtOnce)
        await api.createControllerSites(controller.id, {
          controller_sites: chosen.slice(start, start + sitesAtOnce),
        })
    },
    onSuccess: onDone,
  })
  const shown = sites.filter(({ name, controller_site }) =>
    `${name} ${controller_site}`.toLowerCase().includes(search.trim().toLowerCase()),
  )
  const label = chosen.length === sites.length ? 'setup.add-all' : 'setup.add-some'
  return (
    <form
      noValidate
      className={classes.narrow}
      onSubmit={(event) => {
        event.preventDefault()
        setIsMissing(chosen.length === 0)
        if (chosen.length > 0) add.mutate()
      }}
    >
      <Stack gap="md">
        {sites.length > sitesWithoutSearch && (
          <TextInput
            aria-label={t('setup.search')}
            placeholder={t('setup.search')}
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
          />
        )}
        {sites.length > 1 && (
          <Checkbox
            fw={500}
            label={t('setup.select-all', { count: sites.length })}
            checked={chosen.length === sites.length}
            indeterminate={chosen.length > 0 && chosen.length < sites.length}
            onChange={(event) =>
              setChosen(event.currentTarget.checked ? sites.map(({ controller_site }) => controller_site) : [])
            }
          />
        )}
        <ScrollArea.Autosize mah={360} type="auto">
          <Checkbox.Group
            value={chosen}
            onChange={setChosen}
            error={isMissing && chosen.length === 0 && t('setup.add-none')}
          >
            <Stack gap="sm" py={4} px={2}>
              {shown.map(({ controller_site, name }) => (
                <Checkbox
                  key={controller_site}
                  value={controller_site}
                  label={name || controller_site}
                  description={name && name !== controller_site ? controller_site : undefined}
                />
              ))}
            </Stack>
          </Checkbox.Group>
          {shown.length === 0 && <Text c="dimmed">{t('setup.none-found')}</Text>}
        </ScrollArea.Autosize>
        {add.error && <ErrorMessage error={add.error} />}
        <Group>
          <NextButton isLoading={add.isPending} label={t(label, { count: chosen.length })} />
        </Group>
      </Stack>
    </form>
  )
}
