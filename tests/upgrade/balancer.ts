import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

const POLL_MS = 20

/** A load balancer: passes each request to the next of its nodes. Requests are never repeated. */
export type Balancer = {
  origin: string
  add(port: number): void
  /** Takes a node out, and resolves when its last response is sent. */
  remove(port: number): Promise<void>
  close(): Promise<void>
}

type Node = { port: number; agent: Agent; inProgress: number }

export async function startBalancer(port: number): Promise<Balancer> {
  const nodes: Node[] = []
  let turn = 0
  const pass = (incoming: IncomingMessage, response: ServerResponse) => {
    const node = nodes[turn++ % nodes.length]
    if (node) passTo(node, incoming, response)
    else response.writeHead(502).end()
  }
  const server = createServer(pass).listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${port}`,
    add: (port) => void nodes.push({ port, agent: new Agent({ keepAlive: true }), inProgress: 0 }),
    async remove(port) {
      const index = nodes.findIndex((node) => node.port === port)
      for (const node of nodes.splice(index, 1)) await whenDone(node)
    },
    async close() {
      server.closeAllConnections()
      server.close()
      for (const { agent } of nodes) agent.destroy()
    },
  }
}

/** Resolves when its last response is sent. */
async function whenDone(node: Node): Promise<void> {
  for (; node.inProgress > 0; await sleep(POLL_MS));
  node.agent.destroy()
}

function passTo(node: Node, incoming: IncomingMessage, response: ServerResponse): void {
  node.inProgress++
  response.once('close', () => node.inProgress--)
  const { method, url, headers } = incoming
  const outgoing = request(
    { host: '127.0.0.1', port: node.port, agent: node.agent, method, path: url, headers },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
      answer.once('error', () => response.destroy())
    },
  )
  outgoing.once('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()))
  incoming.pipe(outgoing)
}
