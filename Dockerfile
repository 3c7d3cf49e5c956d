FROM python:3.13-slim AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /srv/mafrate
RUN python -m venv /opt/venv
COPY requirements.lock .
RUN /opt/venv/bin/pip install --require-hashes --requirement requirements.lock
COPY . .
# Editable, so that code, migrations and static files stay in one place, as in a checkout.
RUN /opt/venv/bin/pip install --no-index --no-deps --no-build-isolation --editable . \
    && /opt/venv/bin/python -m compileall -q app

FROM python:3.13-slim
RUN useradd --system --uid 10001 --user-group --home-dir /srv/mafrate --shell /usr/sbin/nologin mafrate
COPY --from=build /opt/venv /opt/venv
COPY --from=build /srv/mafrate /srv/mafrate
# The service writes nowhere else.
RUN install -d -o mafrate -g mafrate -m 0700 /srv/mafrate/data
ENV PATH=/opt/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 MAFRATE_HOST=0.0.0.0 MAFRATE_PORT=8000
WORKDIR /srv/mafrate
USER mafrate
VOLUME /srv/mafrate/data
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=4s --start-period=30s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request as r; r.build_opener(r.ProxyHandler({})).open('http://127.0.0.1:' + os.environ['MAFRATE_PORT'] + '/healthz', timeout=3)"]
CMD ["python", "-m", "app"]
