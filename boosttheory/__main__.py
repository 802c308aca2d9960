"""``python -m boosttheory`` is the command ``boosttheory``."""

from boosttheory.cli import main

if __name__ == "__main__":
    main(prog_name="boosttheory")
