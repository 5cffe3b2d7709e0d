"""An account on the Hugging Face hub, which programs sign in to before they train: nobody is asked, and nothing is made there."""

from .imported import when_imported

USER = "user"
SIGNS_IN = ("login", "logout", "interpreter_login", "notebook_login", "auth_switch", "auth_list")


def install(notes):
    when_imported("huggingface_hub._login", lambda module: _login(module, notes))
    when_imported("huggingface_hub.hf_api", lambda module: _api(module, notes))


def _login(module, notes):
    def signed(*args, **kwargs):
        notes.add("no sign-in to the Hugging Face hub")

    for name in SIGNS_IN:
        if hasattr(module, name):
            setattr(module, name, signed)


def _api(module, notes):
    """The class, and the functions that are the methods of one object of it (`whoami = api.whoami`)."""

    def whoami(self, *args, **kwargs):
        notes.add("no account on the Hugging Face hub")
        return {"type": "user", "name": USER, "fullname": USER, "orgs": [], "auth": {}}

    def create_repo(self, repo_id, *args, **kwargs):
        notes.add("no repository on the Hugging Face hub")
        return module.RepoUrl(f"{self.endpoint}/{repo_id if '/' in repo_id else f'{USER}/{repo_id}'}")

    for method in (whoami, create_repo):
        setattr(module.HfApi, method.__name__, method)
        if hasattr(module, "api") and hasattr(module, method.__name__):
            setattr(module, method.__name__, getattr(module.api, method.__name__))
