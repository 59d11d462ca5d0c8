/** `changed`: the session ended or began, so the others have to ask the service. `signed-out`: the person left. */
type News = 'changed' | 'signed-out'

const channelName = 'vs.session'

export function tellOtherTabs(news: News): void {
  const channel = new BroadcastChannel(channelName)
  channel.postMessage(news)
  channel.close()
}

export function onOtherTab(listener: (news: News) => void): () => void {
  const channel = new BroadcastChannel(channelName)
  channel.onmessage = ({ data }) => listener(data)
  return () => channel.close()
}
